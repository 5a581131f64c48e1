package diagnose

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/findings"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// Print prints the report for a reader at a terminal. Files are told relative to
// dir, if they are below it.
func (r *Report) Print(w io.Writer, dir string) error {
	p := &printer{dir: dir}
	if r.Run.Rounds > 0 {
		fmt.Fprintf(&p.b, "%s, %s, %s; %s\n", r.Run.What, humanize.Count(r.Machine.CPUs, "CPUs"), r.Machine.Go, humanize.Count(r.Run.Rounds, "rounds"))
	} else {
		fmt.Fprintf(&p.b, "%s\n", r.Run.What) // this is not the machine of it
	}
	for _, t := range r.Targets {
		p.target(t)
	}
	if c := r.Compared; c != nil {
		fmt.Fprintf(&p.b, "\nCompared with %s\n", c.Base)
		for _, t := range c.Targets {
			fmt.Fprintf(&p.b, "  %s\n", t.Name)
			for _, l := range t.Words() {
				p.wrapped("    - ", "      ", l)
			}
		}
		if len(c.Missing) > 0 {
			p.wrapped("  ", "  ", "Only one of both has "+strings.Join(c.Missing, ", ")+".")
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&p.b, "\nnote: %s\n", n)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

type printer struct {
	b   strings.Builder
	dir string
}

func (p *printer) target(t *Target) {
	fmt.Fprintf(&p.b, "\n%s\n", t.Name)
	for _, m := range t.Points {
		if t.Per == evidence.Second {
			fmt.Fprintf(&p.b, "  %s", humanize.Count(m.Procs, "CPUs"))
			if m.CPU != nil {
				fmt.Fprintf(&p.b, ", %.2f of them busy", m.CPU.Mid)
			}
			if t.Seconds > 0 {
				fmt.Fprintf(&p.b, "; recorded for %s", seconds(t.Seconds))
			}
			p.b.WriteByte('\n')
			continue
		}
		fmt.Fprintf(&p.b, "  %s: %s (%s to %s) %s", humanize.Count(m.Procs, "CPUs"), seconds(m.Seconds.Mid), seconds(m.Seconds.Low), seconds(m.Seconds.High), t.Per.Each())
		if busy, ok := m.busy(); ok {
			fmt.Fprintf(&p.b, ", %.2f CPUs busy", busy)
		}
		p.b.WriteByte('\n')
	}
	if words := t.spent(); words != "" {
		p.wrapped("  ", "    ", words)
	}
	for _, s := range t.Scaling {
		for _, l := range s.words() {
			fmt.Fprintf(&p.b, "  %s\n", l)
		}
	}
	for _, n := range t.Notes {
		p.wrapped("  note: ", "    ", n)
	}
	if len(t.Findings) == 0 {
		p.wrapped("  ", "    ", t.nothing("nothing to fix"))
	}
	for i, f := range t.Findings {
		fmt.Fprintf(&p.b, "\n  %d. %s: %s\n", i+1, f.could(), f.Title)
		fmt.Fprintf(&p.b, "     %s  %s\n", p.place(f.Place), f.Text)
		for _, o := range f.Other {
			fmt.Fprintf(&p.b, "     %s\n", p.place(o))
		}
		if cost := f.costs(); cost != "" {
			fmt.Fprintf(&p.b, "     costs %s %s\n", cost, t.Per.Each())
		}
		for _, e := range f.Evidence {
			p.wrapped("     - ", "       ", e)
		}
		for _, s := range f.Static {
			p.wrapped("     - ", "       ", fmt.Sprintf("vet %s: %s", s.Check, s.Message))
		}
		p.wrapped("     > ", "       ", f.Remedy)
		fmt.Fprintf(&p.b, "       %s\n", f.URL)
	}
	p.seen(t)
}

// nothing adds to the words for a target without findings what cannot be told of it.
func (t *Target) nothing(words string) string {
	if t.Untold != "" {
		words += " was found, but " + t.Untold
	}
	return words
}

// busy returns how many CPUs are busy. A benchmark that works while its timer is stopped
// has more CPU time than its time allows: ok is false.
func (m *Measured) busy() (cpus float64, ok bool) {
	if m.CPU == nil || m.Seconds.Mid <= 0 {
		return 0, false
	}
	cpus = m.CPU.Mid / m.Seconds.Mid
	return cpus, cpus <= 1.1*float64(m.Procs)
}

func (f *Finding) costs() string {
	var all []string
	if f.CPU > 0 {
		all = append(all, seconds(f.CPU)+" of CPU time")
	}
	if f.Waiting > 0 {
		all = append(all, seconds(f.Waiting)+" of waiting")
	}
	return strings.Join(all, " and ")
}

func (f *Finding) could() string {
	if f.Share < worthwhile {
		if f.Basis == Memory {
			return "memory"
		}
		if f.Basis == Unknown {
			return "time unknown"
		}
		return "memory, and hardly any time"
	}
	most := ""
	if f.Basis == Idle { // what comes instead of waiting is not known
		most = "up to "
	}
	return fmt.Sprintf("%s%s of the time (%s)", most, percent(f.Share), seconds(f.Seconds))
}

// spent says where the CPU time goes.
func (t *Target) spent() string {
	var all []string
	for _, g := range t.Groups {
		if g.Share >= hardlyRan {
			all = append(all, fmt.Sprintf("%s %s", percent(g.Share), g.Group))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "CPU time: " + strings.Join(all, ", ")
}

// seen prints what was recorded, whatever came of it.
func (p *printer) seen(t *Target) {
	for _, table := range p.tables(t) {
		fmt.Fprintf(&p.b, "\n  %s\n", table.Title)
		w := tabwriter.NewWriter(&p.b, 0, 8, 2, ' ', 0)
		for _, r := range append([][]string{table.Head}, table.Rows...) {
			fmt.Fprintf(w, "    %s\n", strings.Join(r, "\t"))
		}
		w.Flush() // into memory: no error
	}
}

// A seenTable is what was seen of one kind.
type seenTable struct {
	Title string
	Head  []string
	Rows  [][]string
}

// tables returns what was seen, without tables that have no rows.
func (p *printer) tables(t *Target) []seenTable {
	per := t.Per.Each() + " (traced, which slows it down)"
	spawns := seenTable{"Lines that start goroutines, " + per, []string{"line", "goroutines", "at once", "median run", "running", "runnable", "waiting", "for"}, nil}
	for _, s := range t.Spawns {
		spawns.Rows = append(spawns.Rows, []string{
			p.place(s.Place), humanize.Number(s.Goroutines), fmt.Sprint(s.Peak), seconds(s.MedianRun), seconds(s.Running),
			seconds(s.Runnable), seconds(s.Waiting + s.Syscall), mostly(&s),
		})
	}
	parks := seenTable{"Lines at which goroutines wait, " + per, []string{"line", "why", "parks", "for each item", "run between", "waiting"}, nil}
	for _, k := range t.Parks {
		each := "–"
		if k.Executed > 0 {
			each = humanize.Number(k.Times / k.Executed)
		}
		parks.Rows = append(parks.Rows, []string{p.place(k.Place), k.Reason, humanize.Number(k.Times), each, seconds(k.MedianRun), seconds(k.Seconds)})
	}
	heap := seenTable{"What goroutines allocate, " + t.Per.Each(), []string{"line", "bytes", "objects", "the compiler says"}, nil}
	for _, h := range t.Heap {
		heap.Rows = append(heap.Rows, []string{p.place(h.Place), size(h.Own.Amount), humanize.Number(h.Own.Count), h.What})
	}
	standing := seenTable{"Where goroutines stand", []string{"line", "goroutines"}, nil}
	for _, s := range t.Standing {
		standing.Rows = append(standing.Rows, []string{p.place(s.Place), humanize.Number(s.Count)})
	}
	return slices.DeleteFunc([]seenTable{spawns, parks, heap, standing}, func(t seenTable) bool { return len(t.Rows) == 0 })
}

// mostly returns what goroutines wait for longest.
func mostly(s *dissect.Spawn) string {
	why, most := "–", 0.0
	for name, w := range s.Waits {
		if w.Seconds > most || w.Seconds == most && most > 0 && name < why {
			why, most = name, w.Seconds
		}
	}
	return why
}

func (s *Scaling) words() []string {
	var b strings.Builder
	fmt.Fprintf(&b, "speedup by %s:", s.By)
	for _, p := range s.Points {
		fmt.Fprintf(&b, " %d: %.2f (%.2f to %.2f)", p.N, p.Speedup.Mid, p.Speedup.Low, p.Speedup.High)
	}
	all := []string{b.String()}
	if u := s.Fit; u != nil {
		line := fmt.Sprintf("fit: contention %.3f (%.3f to %.3f), coherency %.4f (%.4f to %.4f)",
			u.Contention.Mid, u.Contention.Low, u.Contention.High, u.Coherency.Mid, u.Coherency.Low, u.Coherency.High)
		if u.Peak > 0 {
			line += fmt.Sprintf("; the most with %.0f", u.Peak)
		}
		all = append(all, line)
	}
	return all
}

// place prints a line as editors and terminals follow it.
func (p *printer) place(at dissect.Place) string {
	return fmt.Sprintf("%s:%d", findings.Relative(p.dir, at.File), at.Line)
}

// textWidth is how long lines of prose get.
const textWidth = 100

func (p *printer) wrapped(first, other, text string) {
	indent := first
	for _, line := range humanize.Wrap(text, textWidth-len(other)) {
		p.b.WriteString(indent + line + "\n")
		indent = other
	}
}
