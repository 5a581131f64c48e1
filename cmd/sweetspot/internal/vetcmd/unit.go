package vetcmd

import (
	"flag"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/sweetspot-go/sweetspot/vet"
)

// Main runs the analyzers the way go vet -vettool wants it, and exits, if args, the
// arguments of the program, are those of the go command: it asks for the version and
// the flags, and then has one package after the other looked at, each described by a
// file whose name ends in ".cfg". Otherwise Main returns at once.
func Main(args []string) {
	if !fromGoCommand(args) {
		return
	}
	upTo := vet.Quiet
	if infoWanted(args) {
		upTo = vet.Info
	}
	// Only for -flags and for the parser: the analyzers are made before it runs.
	flag.Bool("info", false, "also tell what is true, but often deliberate")
	unitchecker.Main(vet.Analyzers(upTo)...)
}

func fromGoCommand(args []string) bool {
	if len(args) == 0 {
		return false
	}
	if len(args) == 1 && (args[0] == "-V=full" || args[0] == "-flags") {
		return true
	}
	for _, a := range args[:len(args)-1] {
		if !strings.HasPrefix(a, "-") {
			return false
		}
	}
	return strings.HasSuffix(args[len(args)-1], ".cfg")
}

func infoWanted(args []string) bool {
	wanted := false
	for _, a := range args {
		name, value, given := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if name != "info" || !strings.HasPrefix(a, "-") {
			continue
		}
		wanted = !given
		if yes, err := strconv.ParseBool(value); err == nil {
			wanted = yes
		}
	}
	return wanted
}
