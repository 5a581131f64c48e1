// Command demo shows `sweetspot run` at work on real input: it hashes every Go
// source file of the installed toolchain, and then runs commands that only
// wait. Each job is run with the automatic limit and with three fixed numbers.
//
//	go run ./scripts/demo -sweetspot bin/sweetspot
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

func main() {
	command := flag.String("sweetspot", "bin/sweetspot", "path of the `command`")
	root := flag.String("root", defaultRoot(), "hash the Go files below this `folder`")
	limit := flag.Duration("limit", 25*time.Second, "cut a run after this `time`")
	flag.Parse()
	if err := demo(bench{command: *command, cut: *limit}, *root); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// defaultRoot is the source of the toolchain that runs this program.
func defaultRoot() string {
	root, err := goroot()
	if err != nil {
		return "."
	}
	return filepath.Join(root, "src")
}

// demo runs both jobs and prints what was found.
func demo(b bench, root string) error {
	cpus := runtime.GOMAXPROCS(0)
	fixed := []int{1, cpus, 8 * cpus}

	files, err := goFiles(root)
	if err != nil {
		return err
	}
	sums, err := digests(files) // also brings the files into the page cache
	if err != nil {
		return err
	}
	hash, err := hashCommand()
	if err != nil {
		return err
	}
	fmt.Printf("Hashing %d Go files under %s (CPU-bound)\n\n", len(files), root)
	runs, err := b.compare(fixed, hash, func(j int) []string {
		if j == 0 {
			return files
		}
		return everyThird(files) // enough to know the rate of a fixed number
	})
	if err != nil {
		return err
	}
	printTable(os.Stdout, runs)
	checked, err := verify(runs, sums)
	if err != nil {
		return err
	}
	fmt.Printf("  checked: %d digests, all as crypto/sha256 computes them\n", checked)

	const nap = 200 * time.Millisecond
	fmt.Printf("\nWaiting: each command is `sleep %v` (needs next to no CPU)\n\n", nap.Seconds())
	runs, err = b.compare(fixed, []string{"sleep", "{}"}, func(j int) []string {
		n := 2000 * cpus
		if j > 0 {
			n = int(4*time.Second/nap) * j // four seconds' worth
		}
		return repeat(strconv.FormatFloat(nap.Seconds(), 'f', -1, 64), n)
	})
	if err != nil {
		return err
	}
	printTable(os.Stdout, runs)
	return nil
}

func everyThird(all []string) []string {
	var some []string
	for i := 0; i < len(all); i += 3 {
		some = append(some, all[i])
	}
	return some
}

func repeat(value string, n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = value
	}
	return values
}
