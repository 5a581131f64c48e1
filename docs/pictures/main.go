// Command pictures draws the pictures of the guides from simulations: what there
// is to be found, and what several laws find. Run it in docs/:
//
//	go run ./pictures
//
// Everything in them is computed, and the same each time for the same laws.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sweetspot-go/sweetspot/sim"
)

func main() {
	dir := flag.String("dir", ".", "write the pictures to `DIR`")
	flag.Parse()
	if err := write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	for name, draw := range map[string]func() (string, error){"curves.svg": curves, "laws.svg": laws} {
		svg, err := draw()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(svg), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func scenario(name string) (sim.Scenario, error) {
	for _, s := range sim.Scenarios() {
		if s.Name == name {
			return s, nil
		}
	}
	return sim.Scenario{}, fmt.Errorf("there is no scenario %s", name)
}
