package vetcmd_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
)

func TestFromGoCommand(t *testing.T) {
	for args, want := range map[string]bool{
		"":                           false,
		"-V=full":                    true,
		"-flags":                     true,
		"vet.cfg":                    true,
		"-info -json /tmp/x/vet.cfg": true,
		"-falseshare=false vet.cfg":  true,
		"--version":                  false,
		"-flags x":                   false,
		"run cat vet.cfg":            false,
		"vet vet.cfg":                false,
		"sim --file my.cfg":          false,
		"-h":                         false,
		"vet.cfg more":               false,
	} {
		if got := vetcmd.FromGoCommand(strings.Fields(args)); got != want {
			t.Errorf("%q: %v, want %v", args, got, want)
		}
	}
}

func TestInfoWanted(t *testing.T) {
	for args, want := range map[string]bool{
		"vet.cfg":                   false,
		"-info vet.cfg":             true,
		"--info vet.cfg":            true,
		"-info=true vet.cfg":        true,
		"-info=1 vet.cfg":           true,
		"-info=false vet.cfg":       false,
		"-info -info=false vet.cfg": false,
		"-information vet.cfg":      false,
		"info.cfg":                  false,
	} {
		if got := vetcmd.InfoWanted(strings.Fields(args)); got != want {
			t.Errorf("%q: %v, want %v", args, got, want)
		}
	}
}
