package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// Course is a picture of what was seen over time: panels below each other, with
// the same time along all of them.
type Course struct {
	Title   string
	Caption string // below, where the picture stands alone
	Panels  []Panel
}

// A Panel is one thing that was followed.
type Panel struct {
	Name   string // such as limit
	Unit   string
	Log    bool
	Traces []Trace
}

// A Trace is a line over time.
type Trace struct {
	Name   string // whose; the same name has the same colour in all panels
	Ours   bool   // stands out
	Goal   bool   // what was aimed at: dashed
	Steps  bool   // a value holds until the next one
	Times  []float64
	Values []float64
}

// Add appends a value, if it is another one than the last.
func (t *Trace) Add(at, value float64) {
	if n := len(t.Values); n > 0 && t.Values[n-1] == value {
		return
	}
	t.Times, t.Values = append(t.Times, at), append(t.Values, value)
}

// Until lets the last value hold to the end.
func (t *Trace) Until(end float64) {
	if n := len(t.Values); n > 0 {
		t.Times, t.Values = append(t.Times, end), append(t.Values, t.Values[n-1])
	}
}

// points returns what of a trace can be drawn.
func (t *Trace) points(unit humanize.Unit) []Point {
	var ps []Point
	for i := range min(len(t.Times), len(t.Values)) {
		v := unit.Of(t.Values[i])
		if p := (Point{X: t.Times[i], Y: v, Low: v, High: v}); p.finite() {
			ps = append(ps, p)
		}
	}
	return ps
}

// names returns those of the traces, ours first, each with its colour and dash.
func (c *Course) names() (all []drawn) {
	counts := map[bool]int{}
	for _, p := range c.Panels {
		for _, t := range p.Traces {
			if slices.ContainsFunc(all, func(d drawn) bool { return d.Name == t.Name }) {
				continue
			}
			all = append(all, drawn{Series: Series{Name: t.Name, Ours: t.Ours, Level: true}, class: class(counts[t.Ours], t.Ours)})
			counts[t.Ours]++
		}
	}
	slices.SortStableFunc(all, func(a, b drawn) int { return cmp.Compare(rank(a.Ours, false), rank(b.Ours, false)) })
	return all
}

func (c *Course) goals() bool {
	return slices.ContainsFunc(c.Panels, func(p Panel) bool {
		return slices.ContainsFunc(p.Traces, func(t Trace) bool { return t.Goal })
	})
}

func (c *Course) draw(p *picture) string {
	p.head(c.Title)
	names := c.names()
	(&Lines{}).legend(p, names)
	if c.goals() {
		p.y += 4
		p.paragraph("soft", "dashed: what was aimed at", 11, 15)
	}
	var times []float64
	left := 0.0
	verticals := make([]axis, len(c.Panels))
	units := make([]humanize.Unit, len(c.Panels))
	for i := range c.Panels {
		panel := &c.Panels[i]
		units[i], verticals[i] = panel.scale()
		for _, t := range panel.Traces {
			times = append(times, t.Times...)
		}
		left = max(left, widest(verticals[i].ticks(panelTicks)))
	}
	left += 8
	times = slices.DeleteFunc(times, func(v float64) bool { return !finite(v) })
	across := placeAxis(append(times, 0), false)
	across.from, across.to = left+8, p.width-14
	height := 104.0
	if p.width < 500 {
		height = 84
	}
	for i := range c.Panels {
		c.Panels[i].draw(p, names, &across, &verticals[i], units[i], left, height, i)
	}
	p.foot(p.y, &across, across.ticks(int((across.to-across.from)/60)), "seconds")
	p.y += 36
	return p.finish(c.Title, c.about(units, &across), c.Caption)
}

// panelTicks is how many a panel has room for.
const panelTicks = 4

// scale returns the unit of a panel and its axis. Goals may lie far outside of
// what can be reached, and must not press the rest together.
func (l *Panel) scale() (humanize.Unit, axis) {
	var values []float64
	for _, t := range l.Traces {
		if !t.Goal {
			values = append(values, t.Values...)
		}
	}
	unit := humanize.UnitFor(l.Unit, slices.DeleteFunc(values, func(v float64) bool { return !finite(v) })...)
	var seen []Point
	for _, t := range l.Traces {
		if !t.Goal {
			seen = append(seen, t.points(unit)...)
		}
	}
	a := valueAxis(seen, l.Log)
	if !a.log && a.min > 0 {
		a.min = 0
	}
	return unit, a
}

func (l *Panel) draw(p *picture, names []drawn, across, vertical *axis, unit humanize.Unit, left, height float64, i int) {
	p.y += 22
	heading := l.Name
	if unit.Name != "" {
		heading += ", " + unit.Name
	}
	if vertical.log {
		heading += " (logarithmic)"
	}
	p.text(0, p.y, "soft", "start", heading)
	vertical.to = p.y + 8
	vertical.from = vertical.to + height
	area := fmt.Sprintf("area%d", i)
	p.field(left, vertical, vertical.ticks(panelTicks))
	p.clip(area, left, 4, vertical)
	p.add(`<g clip-path="url(#%s-%s)">`, escape(p.id), area)
	for _, t := range slices.Backward(l.ordered()) { // ours on top
		k := slices.IndexFunc(names, func(d drawn) bool { return d.Name == t.Name })
		var line strings.Builder
		for n, q := range t.points(unit) {
			x, y := num(across.at(q.X)), num(vertical.at(q.Y))
			switch {
			case n == 0:
				line.WriteString("M" + x + " " + y)
			case t.Steps:
				line.WriteString("H" + x + "V" + y)
			default:
				line.WriteString("L" + x + " " + y)
			}
		}
		if line.Len() == 0 {
			continue
		}
		dash, what := "", l.Name
		if t.Goal {
			dash, what = " dash thin", l.Name+" aimed at"
		}
		p.add(`<g class="%s"><path class="line%s" d="%s"><title>%s</title></path></g>`, names[k].class, dash, line.String(), escape(t.Name+": "+what))
	}
	p.add("</g>")
	p.y = vertical.from
}

// ordered returns the traces, ours first, goals last.
func (l *Panel) ordered() []Trace {
	ts := slices.Clone(l.Traces)
	slices.SortStableFunc(ts, func(a, b Trace) int { return cmp.Compare(rank(a.Ours, a.Goal), rank(b.Ours, b.Goal)) })
	return ts
}

// about describes the picture for readers who cannot see it.
func (c *Course) about(units []humanize.Unit, across *axis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Over time, to %s seconds.", trimmed(across.max))
	for i, l := range c.Panels {
		for _, t := range l.Traces {
			ps := t.points(units[i])
			if len(ps) == 0 || t.Goal {
				continue
			}
			byY := func(a, b Point) int { return cmp.Compare(a.Y, b.Y) }
			fmt.Fprintf(&b, " %s, %s: from %s to %s, at last %s %s.", l.Name, t.Name,
				humanize.Number(slices.MinFunc(ps, byY).Y), humanize.Number(slices.MaxFunc(ps, byY).Y), humanize.Number(ps[len(ps)-1].Y), units[i].Name)
		}
	}
	return b.String()
}
