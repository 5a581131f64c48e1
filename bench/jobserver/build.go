package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A build is a project, and what builds it.
type build struct {
	name, about string
	command     []string // without a number of jobs
	numbers     []int    // to sweep
	generate    func(dir string) error
}

// Of the projects in C.
const (
	parts   = 10
	perPart = 32
)

func builds() []build {
	compute := []int{1, 2, 3, 4, 8}
	return []build{
		{"make", "make of 320 files of C", []string{"make", "-s"}, compute, func(dir string) error {
			return cmp.Or(sources(dir, 0, parts*perPart), write(dir, "Makefile", flatMake))
		}},
		{"nested", "make of 10 makes of 32 files of C each", []string{"make", "-s"}, compute, nested},
		{"ninja", "ninja of the same 320 files", []string{"ninja", "--quiet"}, compute, func(dir string) error {
			return cmp.Or(sources(dir, 0, parts*perPart), write(dir, "build.ninja", ninjaFile()))
		}},
		{"cargo", "cargo of 60 crates", []string{"cargo", "build", "--offline", "--quiet"}, compute, crates},
		{"tests", "make of 300 tests that sleep for 0.1 to 0.5 s", []string{"make", "-s"}, []int{8, 16, 32, 64, 128, 256}, func(dir string) error {
			return write(dir, "Makefile", sleepingTests)
		}},
	}
}

// project returns the build of a project that is in a directory.
func project(from, command string) build {
	return build{filepath.Base(from), "`" + command + "` of " + filepath.Base(from), strings.Fields(command), []int{1, 2, 3, 4, 8}, func(dir string) error {
		return copyTree(dir, from)
	}}
}

// copyTree copies a directory with its times, for the sake of make.
func copyTree(to, from string) error {
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("cannot copy %s: %w: %.200s", from, err, out)
	}
	return nil
}

func write(dir, name, text string) error {
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

const flatMake = `CFLAGS = -O1
all: $(patsubst %.c,%.o,$(wildcard *.c))
`

const sleepingTests = `TESTS := $(shell seq 100 399)
all: $(TESTS)
$(TESTS):
	@sleep 0.$$((100 + ($@ * 7919) % 400))
`

// sources writes C files: functions with loops and branches that differ from file to file.
func sources(dir string, from, to int) error {
	for i := from; i < to; i++ {
		var b strings.Builder
		fmt.Fprintf(&b, "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n")
		for f := range 1 + i*7%4 { // sizes differ by four times
			fmt.Fprintf(&b, "double f%d_%d(double *a, int n, const char *s) {\n\tdouble x = %d;\n\tfor (int i = 0; i < n; i++) {\n", i, f, f)
			fmt.Fprintf(&b, "\t\tswitch ((i + %d) %% 5) {\n", f)
			for c := range 5 {
				fmt.Fprintf(&b, "\t\tcase %d: x += a[i] * %d.5; if (x > %d) x /= 1 + strlen(s); break;\n", c, c+f, 100*c+i)
			}
			fmt.Fprintf(&b, "\t\t}\n\t\tfor (int j = i; j < n; j += %d) a[j] = a[j] * x + j;\n\t}\n\tprintf(\"%%f\\n\", x);\n\treturn x;\n}\n", f+1)
		}
		if err := write(dir, fmt.Sprintf("f%d.c", i), b.String()); err != nil {
			return err
		}
	}
	return nil
}

// nested writes a makefile that makes a directory for each part by another make.
func nested(dir string) error {
	names := make([]string, parts)
	for p := range parts {
		names[p] = "part" + strconv.Itoa(p)
		sub := filepath.Join(dir, names[p])
		if err := cmp.Or(write(sub, "Makefile", flatMake), sources(sub, p*perPart, (p+1)*perPart)); err != nil {
			return err
		}
	}
	list := strings.Join(names, " ")
	return write(dir, "Makefile", "all: "+list+"\n.PHONY: "+list+"\n"+list+":\n\t@$(MAKE) -s -C $@\n")
}

func ninjaFile() string {
	var b strings.Builder
	b.WriteString("rule cc\n  command = cc -O1 -c $in -o $out\n")
	for i := range parts * perPart {
		fmt.Fprintf(&b, "build f%d.o: cc f%d.c\n", i, i)
	}
	return b.String()
}

// crates writes a workspace of crates that do not depend on each other.
func crates(dir string) error {
	if err := write(dir, "Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"crate*\"]\n"); err != nil {
		return err
	}
	for i := range 60 {
		name := "crate" + strconv.Itoa(i)
		var b strings.Builder
		for f := range 1 + i*7%4 {
			fmt.Fprintf(&b, "pub fn f%d(a: &mut Vec<f64>, s: &str) -> String {\n    a.sort_by(|x, y| y.total_cmp(x));\n    let t: Vec<String> = a.iter().map(|x| format!(\"{:.%d} {}\", x * %d.0, s)).collect();\n    t.join(\",\")\n}\n", f, f%9, f+i)
		}
		err := cmp.Or(write(dir, name+"/Cargo.toml", "[package]\nname = \""+name+"\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"), write(dir, name+"/src/lib.rs", b.String()))
		if err != nil {
			return err
		}
	}
	return nil
}
