// Command law draws and takes apart the default law, control.Search. Run it in
// the root of the repository.
//
//	go run ./scripts/law plot
//	    writes control/*.svg: the limit over time in some scenarios of package sim
//	go run ./scripts/law ablate [-rule NAME] [-seeds 1-10] [-write]
//	    removes one rule of the law after the other and prints what that costs;
//	    -write puts the table into control/figures.md
//	go run ./scripts/law bars [-seeds 1-10]
//	    holds the law to its bars in all scenarios and prints those it misses
//	go run ./scripts/law judge [-seeds 1-10]
//	    runs all scenarios, and with the first two seeds all companies, and prints
//	    the outcome as JSON; ablate calls it without a rule
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/seeds"
	"github.com/sweetspot-go/sweetspot/sim"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "law:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no command given: want plot, bars, ablate or judge")
	}
	flags := flag.NewFlagSet("law "+args[0], flag.ExitOnError)
	seedList := flags.String("seeds", "1-10", "run the seeds of this `list`, such as 1-10 or 3,5,7-9")
	only := flags.String("rule", "", "remove only the rule of this `name`")
	write := flags.Bool("write", false, "put the table into control/figures.md")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s takes no argument %q", args[0], flags.Arg(0))
	}
	if _, err := os.Stat("control/search.go"); err != nil {
		return fmt.Errorf("control/search.go is not here: run law in the root of the repository")
	}
	list, err := seeds.Parse(*seedList)
	if err != nil {
		return fmt.Errorf("-seeds: %w", err)
	}
	switch args[0] {
	case "plot":
		return drawPlots("control")
	case "bars":
		return printBars(list)
	case "judge":
		return judge(list)
	case "ablate":
		if *write && *only != "" {
			return fmt.Errorf("-write needs the figures of all rules: leave out -rule")
		}
		return ablate(*seedList, *only, *write)
	}
	return fmt.Errorf("unknown command %q: want plot, bars, ablate or judge", args[0])
}

func newLaw() control.Controller { return control.NewSearch() }

func printBars(seeds []uint64) error {
	v, err := sim.Judge(sim.Scenarios(), seeds, newLaw)
	if err != nil {
		return err
	}
	misses, asked := missed(bars, v.Rows)
	for _, m := range misses {
		fmt.Println(m)
	}
	fmt.Printf("%d of %d bars met\n", asked-len(misses), asked)
	return nil
}

func judge(seeds []uint64) error {
	alone, err := sim.Judge(sim.Scenarios(), seeds, newLaw)
	if err != nil {
		return err
	}
	// A company takes as long as all its loops: two seeds tell enough.
	together, err := sim.JudgeCompanies(sim.Companies(), seeds[:min(2, len(seeds))], newLaw)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(newOutcome(alone, together))
}
