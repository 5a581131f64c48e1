package vetcmd

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/findings"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/vet"
)

// writeNumbers writes a table of the numbers of an inventory, and how many there are.
func writeNumbers(w io.Writer, all []Finding, dir string) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "No number that bounds concurrency was found.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PLACE\tNUMBER\tTHE WORK\tINSTEAD")
	count := make(map[vet.Work]int)
	for _, f := range all {
		n := f.Number
		fmt.Fprintf(table, "%s:%d:%d:\t%s: %s\t%s\t%s\n", findings.Relative(dir, f.File), f.Line, f.Column, n.Kind, humanize.Clip(strings.Join(strings.Fields(n.Value), " "), mostValue), n.Work, n.Instead)
		count[n.Work]++
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s: behind %d the work waits, behind %d it computes, behind %d it is unknown.\n",
		humanize.Count(len(all), "places"), count[vet.Waits], count[vet.Computes], count[vet.Unknown])
	return err
}

// mostValue bounds what is shown of an expression, which may be a function of many lines.
const mostValue = 60
