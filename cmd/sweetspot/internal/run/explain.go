package run

import (
	"fmt"
	"io"
	"strings"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// An account is what --explain tells, in words.
type account struct {
	*summary
	seconds   float64 // that the run took
	fixed     string  // what -j said, "" for auto
	most      int64   // jobs that ran at a time
	cpus      float64
	share     string // what --share said, "" for nothing
	met       int    // other processes that shared it
	decisions []sweetspot.Decision
}

// Of a long history the first and the last decisions are told: how it was
// found, and why it stayed.
const (
	tellFirst = 8
	tellLast  = 16
)

func (a *account) tell(w io.Writer) error {
	var b strings.Builder
	rate := float64(a.Jobs) / max(a.seconds, 1e-9)
	fmt.Fprintf(&b, "%s in %s, %s a second", humanize.Count(a.Jobs, "jobs"), seconds(a.seconds), figure(rate))
	if a.Failed > 0 {
		fmt.Fprintf(&b, "; %d failed", a.Failed)
	}
	b.WriteString(".\n")
	if a.Jobs == 0 {
		b.WriteString("There was nothing to run.\n")
	} else {
		a.tellLimit(&b)
	}
	if a.fixed == "" && 2*a.Failed > a.Jobs {
		b.WriteString("Most jobs failed, and failed jobs teach nothing: failing fast is not speed.\n")
	}
	if a.Jobs > 0 {
		a.tellUnbound(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tellLimit says where the limit stands, and why.
func (a *account) tellLimit(b *strings.Builder) {
	if a.fixed != "" {
		fmt.Fprintf(b, "The limit was fixed at %d by -j %s.\n", a.Limit.Last, a.fixed)
		return
	}
	fmt.Fprintf(b, "The limit ended at %d (mean %s, highest %d) on %s", a.standing(), figure(a.Limit.Mean), a.Limit.Max, humanize.Count(int64(a.cpus+0.5), "CPUs"))
	if a.standing() != a.Limit.Last {
		fmt.Fprintf(b, "; a trial of %d was under way", a.Limit.Last)
	}
	b.WriteString(".\n")
	if a.share != "" {
		others := "No other process"
		if a.met > 0 {
			others = humanize.Count(a.met, "other processes")
		}
		fmt.Fprintf(b, "%s shared the name %s.\n", others, a.share)
	}
	if a.Suspensions > 0 {
		fmt.Fprintf(b, "Jobs were suspended %s because memory was short.\n", humanize.Count(a.Suspensions, "times"))
	}
	a.tellWhy(b)
}

// tellUnbound says if the limit was never reached.
func (a *account) tellUnbound(b *strings.Builder) {
	if a.most < int64(a.standing()) {
		fmt.Fprintf(b, "It did not bind at the end: no more than %s ever ran at a time.\n", humanize.Count(a.most, "jobs"))
	}
}

// standing returns the limit at the end, not counting a trial that is under way.
func (a *account) standing() int {
	if n := len(a.decisions); n > 0 && a.decisions[n-1].Reason.Kind == control.Probe {
		return a.decisions[n-1].From
	}
	return a.Limit.Last
}

func (a *account) tellWhy(b *strings.Builder) {
	if len(a.decisions) == 0 {
		b.WriteString("The run was too short to try another limit.\n")
		return
	}
	b.WriteString("What was decided, and when (seconds of work):\n")
	skip := len(a.decisions) - tellFirst - tellLast
	for i, c := range a.decisions {
		if skip > 1 && i >= tellFirst && i < tellFirst+skip {
			if i == tellFirst {
				fmt.Fprintf(b, "%10s  (%d decisions left out; --json has them)\n", "...", skip)
			}
			continue
		}
		fmt.Fprintf(b, "%10.2f  %s\n", c.At.Seconds(), c.Reason)
	}
}

// figure returns x with three significant digits at least.
func figure(x float64) string {
	switch {
	case x >= 99.95:
		return humanize.Grouped(int64(x + 0.5))
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// seconds returns "0.42 s", "3 m 20 s", "2 h 05 m".
func seconds(s float64) string {
	whole := int64(s + 0.5)
	switch {
	case s < 59.95:
		return figure(s) + " s"
	case whole < 3600:
		return fmt.Sprintf("%d m %02d s", whole/60, whole%60)
	}
	return fmt.Sprintf("%s h %02d m", humanize.Grouped(whole/3600), whole/60%60)
}
