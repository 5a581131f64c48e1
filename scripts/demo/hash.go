package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goroot asks the go command where the toolchain is.
func goroot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out)), err
}

// goFiles returns the Go files below root. Names with a backslash or a line
// feed are left out: sha256sum prints them escaped.
func goFiles(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".go") && !strings.ContainsAny(path, "\\\n") {
			files = append(files, path)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no Go files below %s", root)
	}
	return files, err
}

// digests returns the SHA-256 of each file in hexadecimal.
func digests(files []string) (map[string]string, error) {
	sums := make(map[string]string, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		sums[file] = hex.EncodeToString(sum[:])
	}
	return sums, nil
}

// hashCommand returns the command that hashes one file on this system.
func hashCommand() ([]string, error) {
	for _, argv := range [][]string{{"sha256sum"}, {"shasum", "-a", "256"}} {
		if _, err := exec.LookPath(argv[0]); err == nil {
			return append(argv, "{}"), nil
		}
	}
	return nil, errors.New("neither sha256sum nor shasum is installed")
}

// verify checks what the runs printed against sums, and that nothing was lost
// or printed twice. It returns the number of digests.
func verify(runs []run, sums map[string]string) (int, error) {
	total := 0
	for _, r := range runs {
		seen := make(map[string]bool)
		for line := range bytes.Lines(r.output) {
			sum, file, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
			file = strings.TrimLeft(file, " *") // "*" marks binary mode
			switch want, known := sums[file]; {
			case !known:
				return 0, fmt.Errorf("-j %s printed %q, which was not asked for", r.flag, line)
			case sum != want:
				return 0, fmt.Errorf("-j %s: digest of %s is %s, want %s", r.flag, file, sum, want)
			case seen[file]:
				return 0, fmt.Errorf("-j %s printed %s twice", r.flag, file)
			}
			seen[file] = true
		}
		if !r.cut && len(seen) != r.summary.Jobs {
			return 0, fmt.Errorf("-j %s: %d digests from %d jobs", r.flag, len(seen), r.summary.Jobs)
		}
		total += len(seen)
	}
	return total, nil
}
