package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// Dots is a picture of figures that differ by their names: a row for each, with
// its median, its interval, and faintly the samples.
type Dots struct {
	Title   string
	Caption string // below, where the picture stands alone
	Measure Measure
	Log     bool // also where figures are not far apart, as for ratios
	Parts   bool // figures are parts of a whole, of which a logarithmic axis would say nothing
	Rows    []Row
	// Mark is a value to compare with, if it has a name.
	Mark Mark
}

// A Row is one figure.
type Row struct {
	Name  string
	Ours  bool // stands out
	Then  bool // measured elsewhere, at another time
	Point Point
}

func (d *Dots) draw(p *picture) string {
	drawn := slices.DeleteFunc(slices.Clone(d.Rows), func(r Row) bool { return !r.Point.finite() })
	var values []float64
	for _, r := range drawn {
		values = append(values, r.Point.Y)
	}
	unit := humanize.UnitFor(d.Measure.Unit, values...)
	var points []Point
	for _, r := range drawn {
		points = append(points, inUnit(r.Point, unit))
	}
	across := valueAxis(points, d.Log)
	if d.Parts {
		across = partsAxis(points)
	}
	if d.Mark.Name != "" {
		across.include(unit.Of(d.Mark.At))
	} else if !across.log && across.min > 0 {
		across.min = 0 // rows have bars
	}
	const side = 8
	across.from, across.to = side, p.width-side

	p.head(d.Title)
	p.paragraph("soft", d.Measure.along(&across, unit), 11, 15)
	p.y += 4
	if d.Mark.Name != "" {
		p.y += 14
		p.beside(across.at(unit.Of(d.Mark.At)), p.y, d.Mark.Name)
		p.y += 4
	}

	// Rows are laid out first: the grid behind them needs their height.
	top := p.y
	rows := &picture{width: p.width, y: p.y}
	for i, r := range drawn {
		r.draw(rows, points[i], &across, unit, d.Mark.Name == "")
	}
	bottom := rows.y + 6
	each := widest([]float64{across.min, across.max}) + 16
	for _, t := range across.ticks(int((across.to - across.from) / each)) {
		x := across.at(t)
		p.add(`<path class="grid" d="M%s %sV%s"/>`, num(x), num(top), num(bottom))
		anchor, s := "middle", short(t)
		if half := widthOf(s, 12) / 2; x-half < 0 {
			x, anchor = 0, "start"
		} else if x+half > p.width {
			x, anchor = p.width, "end"
		}
		p.text(x, bottom+14, "", anchor, s)
	}
	p.add(`<path class="frame" d="M0 %sH%s"/>`, num(bottom), num(p.width))
	if d.Mark.Name != "" {
		p.add(`<path class="mark" d="M%s %sV%s"/>`, num(across.at(unit.Of(d.Mark.At))), num(top-14), num(bottom))
	}
	p.b.WriteString(rows.b.String())
	p.y = bottom + 16
	return p.finish(d.Title, d.about(unit, drawn, points), d.Caption)
}

// include widens an axis so that v is on it, with room beside.
func (a *axis) include(v float64) {
	if a.log {
		a.min, a.max = min(a.min, v/1.15), max(a.max, v*1.15)
		return
	}
	room := 0.08 * max(a.max-a.min, math.Abs(a.max-v), math.Abs(a.min-v))
	a.min, a.max = min(a.min, v-room), max(a.max, v+room)
}

// draw draws a row: names above what they name, so that long ones fit.
func (r *Row) draw(p *picture, q Point, across *axis, unit humanize.Unit, bar bool) {
	value := humanize.Number(q.Y)
	room := p.width - widthOf(value, 12) - 24
	p.y += 5
	for i, line := range humanize.Wrap(r.Name, columns(room, 12.5)) {
		p.y += 15
		p.text(0, p.y, strong(r.Ours), "start", line)
		if i == 0 {
			p.text(p.width, p.y, strong(r.Ours), "end", value)
		}
	}
	y := p.y + 12
	p.y += 20
	colour := class(0, r.Ours) // the name is beside it
	if r.Then {
		colour = "none"
	}
	p.add(`<g class="%s">`, colour)
	if bar && !across.log {
		from, to := across.at(0), across.at(q.Y)
		p.add(`<rect class="bar" x="%s" y="%s" width="%s" height="10"/>`, num(min(from, to)), num(y-5), num(math.Abs(to-from)))
	}
	if low, high := across.at(q.Low), across.at(q.High); high-low > 0.5 {
		p.add(`<path class="span" d="M%s %sH%s"/>`, num(low), num(y), num(high))
	}
	var samples strings.Builder
	for _, v := range q.Samples {
		dot(&samples, across.at(v), y)
	}
	if samples.Len() > 0 {
		p.add(`<path class="samples" d="%s"/>`, samples.String())
	}
	p.add(`<path class="dot" d="%s"><title>%s</title></path>`, shape(0, r.Ours, across.at(q.Y), y, 4.5), escape(sayIn(r.Name, q, unit)))
	p.add("</g>")
}

// about describes the picture for readers who cannot see it.
func (d *Dots) about(unit humanize.Unit, drawn []Row, points []Point) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s.", cmp.Or(unit.Name, "Figures"), d.Measure.direction())
	for i, r := range drawn {
		fmt.Fprintf(&b, " %s: %s.", r.Name, humanize.Number(points[i].Y))
	}
	return b.String()
}
