package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

func main() { program.Main("jobserver", run) }

// page is where -md writes the table.
const page = "README.md"

// ours is the number that stands for sweetspot jobserver.
const ours = 0

type row struct {
	build build
	took  map[int]float64 // s, the median, by the number of jobs
}

func run(ctx context.Context, args []string) error {
	f := program.NewFlags("jobserver", "Measures builds under sweetspot jobserver.", "build", builds(),
		func(b build) (name, about string) { return b.name, b.about }, os.Stderr)
	rounds := f.Int("rounds", 3, "`number` of rounds")
	md := f.Bool("md", false, "write the table into bench/"+page)
	f.Quick("-rounds 1")
	from := f.String("project", "", "measure the build of the project in this `directory` instead, by -command")
	command := f.String("command", "make -s", "a `command` without a number of jobs")
	numbers := f.String("j", "", "fixed `numbers` of jobs, with commas between them (default: of each build)")
	chosen, err := f.Parse(args)
	if err != nil {
		return err
	}
	if *from != "" {
		chosen = []build{project(*from, *command)}
	}
	if *rounds < 1 {
		return fmt.Errorf("-rounds %d: want 1 or more", *rounds)
	}
	if *numbers != "" {
		list, err := program.ParseNumbers(*numbers)
		if err != nil {
			return fmt.Errorf("-j: %w", err)
		}
		for i := range chosen {
			chosen[i].numbers = list
		}
	}
	dir, err := os.MkdirTemp("", "jobserver")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, err := program.Build(ctx, dir)
	if err != nil {
		return err
	}
	var rows []row
	for _, b := range chosen {
		if _, err := exec.LookPath(b.command[0]); err != nil && os.Getenv("CI") == "" {
			fmt.Fprintf(os.Stderr, "%s is skipped: %v\n", b.name, err)
			continue
		}
		r, err := measure(ctx, b, filepath.Join(dir, b.name), binary, *rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		rows = append(rows, r)
	}
	return program.Show(os.Stdout, *md, page, "jobserver", table(rows, *rounds).String())
}

// measure builds in copies of a new directory, again and again.
func measure(ctx context.Context, b build, dir, binary string, rounds int) (row, error) {
	if err := b.generate(dir); err != nil {
		return row{}, err
	}
	samples := map[int][]float64{}
	numbers := append([]int{ours}, b.numbers...)
	for range rounds {
		rand.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
		for _, n := range numbers {
			took, err := once(ctx, b, dir, binary, n)
			if err != nil {
				return row{}, err
			}
			samples[n] = append(samples[n], took)
		}
	}
	r := row{b, map[int]float64{}}
	for n, s := range samples {
		r.took[n] = stats.Median(s)
	}
	return r, nil
}

// once builds in a copy of a directory, with a fixed number of jobs or ours, and returns the seconds it took.
func once(ctx context.Context, b build, dir, binary string, n int) (float64, error) {
	argv := append(slices.Clone(b.command), fmt.Sprintf("-j%d", n))
	if n == ours {
		argv = append([]string{binary, "jobserver", "--explain", "--"}, b.command...)
	}
	work := dir + ".build"
	defer os.RemoveAll(work)
	if err := copyTree(work, dir); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = work
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%v: %w: %.1000s", argv, err, out)
	}
	took := time.Since(began).Seconds()
	fmt.Fprintf(os.Stderr, "%-8s -j%-4d %.2f s\n", b.name, n, took)
	if n == ours {
		os.Stderr.Write(out)
	}
	return took, nil
}

// table returns the times over that of the best fixed number.
func table(rows []row, rounds int) program.Table {
	t := program.Table{Caption: fmt.Sprintf("%s, %d rounds.", machine.Describe(), rounds),
		Head: []string{"build", "best `-j`", "s", "`sweetspot jobserver`", "least `-j`", "most `-j`"}}
	for _, r := range rows {
		best := slices.MinFunc(r.build.numbers, func(a, b int) int { return cmp.Compare(r.took[a], r.took[b]) })
		first, last := r.build.numbers[0], r.build.numbers[len(r.build.numbers)-1]
		ratio := func(n int) string { return stats.FormatRatio(r.took[n] / r.took[best]) }
		t.Add(r.build.about, fmt.Sprint(best), fmt.Sprintf("%.2f", r.took[best]), ratio(ours),
			fmt.Sprintf("%s (%d)", ratio(first), first), fmt.Sprintf("%s (%d)", ratio(last), last))
	}
	return t
}
