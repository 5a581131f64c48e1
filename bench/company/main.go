package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// page is where the table is published, seen from the module's directory.
const page = "../docs/company.md"

func main() {
	if played, err := play(os.Args[1:]); played {
		program.Exit("company", err)
	}
	program.Main("company", run)
}

// run does what the command line says. The progress goes to stderr, the table to stdout.
func run(ctx context.Context, args []string) error {
	o, err := parseFlags(args, os.Stderr)
	if err != nil {
		return err
	}
	b := &bench{options: *o, log: os.Stderr}
	dir, err := os.MkdirTemp("", "sweetspot-company-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if slices.ContainsFunc(b.situations, func(s situation) bool { return s.jobs > 0 }) {
		if b.binary, err = program.Build(ctx, dir); err != nil {
			return err
		}
	}
	var rows strings.Builder
	for _, s := range b.situations {
		var v *verdict
		if v, err = b.measure(ctx, s); err != nil {
			break
		}
		rows.WriteString(v.row())
	}
	table := fmt.Sprintf("%s; rounds: %d, of %v, and %.0f jobs for each run.\n\n%s%s", machine.Describe(), b.rounds, b.auto, b.jobs*allJobs, head, &rows)
	fmt.Print(table)
	if err == nil && o.md {
		err = program.Publish(page, "company", table)
	}
	return err
}
