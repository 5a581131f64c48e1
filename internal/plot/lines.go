package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// Lines is a picture of figures over an axis: a line through the medians of each
// series, a band for their intervals, and faintly the samples.
type Lines struct {
	Title   string
	Caption string // below, where the picture stands alone
	Axis    string // what is along the axis
	Log2    bool
	Measure Measure
	Series  []Series
	Trends  []Trend
	Marks   []Mark
}

// A Series are points of a name.
type Series struct {
	Name   string
	Ours   bool // stands out
	Then   bool // measured elsewhere, at another time
	Points []Point
	// Level is set if the only point has no place on the axis: it becomes a line
	// all along it.
	Level bool
	// Curve leaves out the marks of the points but the one at Ring.
	Curve bool
	Ring  float64
}

// A Trend is a straight line fitted to a series.
type Trend struct {
	Of               string // the name of the series
	Name             string
	Intercept, Slope float64
	From             float64 // where it begins; it ends with the series
}

// A Mark is a line upright on a place of the axis.
type Mark struct {
	At   float64
	Name string
}

// A drawn series is one in the unit of the picture.
type drawn struct {
	Series
	class string
	shape int
	dash  string
}

func (l *Lines) draw(p *picture) string {
	unit, series := l.prepare()
	p.head(l.Title)
	l.legend(p, series)
	p.y += 21
	xs, all := extent(series)
	vertical := valueAxis(all, false)
	p.text(0, p.y, "soft", "start", l.Measure.along(&vertical, unit))

	height := 280.0
	if p.width < 500 {
		height = 220
	}
	vertical.from, vertical.to = p.y+10+height, p.y+10
	ticks := vertical.ticks(int(height / 34))
	left := widest(ticks) + 8
	across := placeAxis(xs, l.Log2)
	across.from, across.to = left+8, p.width-14

	p.field(left, &vertical, ticks)
	bottom := vertical.from
	each := widest([]float64{across.min, across.max}) + 8
	axisName := l.Axis
	if l.Log2 {
		axisName += " (logarithmic)"
	}
	p.foot(bottom, &across, across.places(xs, each), axisName)

	p.clip("area", left, 8, &vertical)
	marks := l.marksAmong(xs)
	for _, m := range marks {
		x := across.at(m.At)
		p.add(`<path class="mark" d="M%s %sV%s"/>`, num(x), num(bottom), num(vertical.to))
		p.beside(x, vertical.to+4, m.Name)
	}
	p.add(`<g clip-path="url(#%s-area)">`, escape(p.id))
	for _, s := range slices.Backward(series) { // the first, and ours, on top
		s.draw(p, &across, &vertical, l.Axis, unit)
	}
	for _, t := range l.Trends {
		t.draw(p, series, &across, &vertical, unit)
	}
	p.add("</g>")
	p.y = bottom + 36
	return p.finish(l.Title, l.about(unit, series, marks, &across), l.Caption)
}

// prepare returns the unit of the picture and the series in it, ours first.
func (l *Lines) prepare() (humanize.Unit, []drawn) {
	var values []float64
	for _, s := range l.Series {
		for _, p := range s.Points {
			if p.finite() {
				values = append(values, p.Y)
			}
		}
	}
	unit := humanize.UnitFor(l.Measure.Unit, values...)
	var all []drawn
	counts := map[bool]int{}
	for _, s := range l.Series {
		d := drawn{Series: s, shape: counts[s.Ours], class: class(counts[s.Ours], s.Ours)}
		if s.Then {
			d.class, d.dash = "none", " dots"
		} else if s.Ours {
			d.dash = []string{"", " dash", " dash dots"}[d.shape%3]
		} else if d.shape >= colours {
			d.dash = " dash"
		}
		counts[s.Ours]++
		d.Points = nil
		for _, p := range s.Points {
			if !p.finite() || l.Log2 && p.X <= 0 && !s.Level {
				continue
			}
			d.Points = append(d.Points, inUnit(p, unit))
		}
		slices.SortStableFunc(d.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		all = append(all, d)
	}
	slices.SortStableFunc(all, func(a, b drawn) int { return cmp.Compare(rank(a.Ours, false), rank(b.Ours, false)) })
	return unit, all
}

// marksAmong returns the marks that lie between places.
func (l *Lines) marksAmong(xs []float64) []Mark {
	if len(xs) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(l.Marks), func(m Mark) bool { return m.At < slices.Min(xs) || m.At > slices.Max(xs) })
}

// inUnit returns a point in the unit of the picture, with the samples that are
// numbers.
func inUnit(p Point, unit humanize.Unit) Point {
	q := Point{X: p.X, Y: unit.Of(p.Y), Low: unit.Of(p.Low), High: unit.Of(p.High)}
	for _, v := range p.Samples {
		if finite(v) {
			q.Samples = append(q.Samples, unit.Of(v))
		}
	}
	return q
}

func extent(series []drawn) (xs []float64, all []Point) {
	for _, s := range series {
		for _, p := range s.Points {
			if !s.Level {
				xs = append(xs, p.X)
			}
			all = append(all, p)
		}
	}
	return xs, all
}

// legend names the series, in as many lines as it takes.
func (l *Lines) legend(p *picture, series []drawn) {
	type entry struct{ name, class, key string }
	var entries []entry
	for _, s := range series {
		key := fmt.Sprintf(`<path class="line%s" d="M0 0h22"/>`, s.dash)
		if !s.Level {
			key += fmt.Sprintf(`<path class="dot" d="%s"/>`, shape(s.shape, s.Ours, 11, 0, 4))
		}
		entries = append(entries, entry{s.Name, s.class, key})
	}
	for _, t := range l.Trends {
		if t.Name != "" {
			entries = append(entries, entry{t.Name, t.class(series), `<path class="trend" d="M0 0h22"/>`})
		}
	}
	const key, gap = 28, 14
	x := 0.0
	p.y += 13
	for i, e := range entries {
		if x > 0 && x+key+widthOf(e.name, 12) > p.width {
			x = 0
			p.y += 18
		}
		lines := humanize.Wrap(e.name, columns(p.width-key, 12))
		p.add(`<g class="%s" transform="translate(%s %s)">%s</g>`, e.class, num(x), num(p.y-4), e.key)
		for j, line := range lines {
			if j > 0 {
				p.y += 15
			}
			p.text(x+key, p.y, strong(i < len(series) && series[i].Ours), "start", line)
		}
		x += key + widthOf(e.name, 12) + gap
		if e.class == "ours" { // bold
			x += 0.08 * widthOf(e.name, 12)
		}
	}
}

func strong(ours bool) string {
	if ours {
		return "strong"
	}
	return ""
}

func (s *drawn) draw(p *picture, across, vertical *axis, axisName string, unit humanize.Unit) {
	if len(s.Points) == 0 {
		return
	}
	p.add(`<g class="%s">`, s.class)
	defer p.add("</g>")
	name := func(q Point) string {
		if s.Level {
			return s.Name
		}
		return fmt.Sprintf("%s, %s %s", s.Name, axisName, trimmed(q.X))
	}
	if s.Level {
		q := s.Points[0]
		p.add(`<path class="band" d="M%s %sH%sV%sH%[1]sz"/>`, num(across.from-8), num(vertical.at(q.Low)), num(p.width), num(vertical.at(q.High)))
		p.add(`<path class="line%s" d="M%s %sH%s"><title>%s</title></path>`, s.dash, num(across.from-8), num(vertical.at(q.Y)), num(p.width), escape(sayIn(name(q), q, unit)))
		return
	}
	var line, band path
	var samples strings.Builder
	for _, q := range s.Points {
		line.to(across.at(q.X), vertical.at(q.Y))
		band.to(across.at(q.X), vertical.at(q.High))
		for _, v := range q.Samples {
			dot(&samples, across.at(q.X), vertical.at(v))
		}
	}
	if len(s.Points) > 1 {
		for _, q := range slices.Backward(s.Points) {
			band.to(across.at(q.X), vertical.at(q.Low))
		}
		if !s.Curve {
			p.add(`<path class="band" d="%sz"/>`, band.String())
		}
		p.add(`<path class="line%s" d="%s"/>`, s.dash, line.String())
	} else {
		q := s.Points[0]
		p.add(`<path class="span" d="M%s %sV%s"/>`, num(across.at(q.X)), num(vertical.at(q.Low)), num(vertical.at(q.High)))
	}
	if samples.Len() > 0 {
		p.add(`<path class="samples" d="%s"/>`, samples.String())
	}
	r := 4.0
	if float64(len(s.Points)) > p.width/24 && !s.Curve {
		r = 2.5
	}
	for _, q := range s.Points {
		if s.Curve && q.X != s.Ring {
			continue
		}
		p.add(`<path class="dot" d="%s"><title>%s</title></path>`, shape(s.shape, s.Ours, across.at(q.X), vertical.at(q.Y), r), escape(sayIn(name(q), q, unit)))
	}
}

// class returns that of the series that a trend is of.
func (t *Trend) class(series []drawn) string {
	for _, s := range series {
		if s.Name == t.Of {
			return s.class
		}
	}
	return "none"
}

// draw draws a trend as far as its series goes. On a logarithmic axis a straight
// line is a curve.
func (t *Trend) draw(p *picture, series []drawn, across, vertical *axis, unit humanize.Unit) {
	from, to := across.min, across.max
	for _, s := range series {
		if s.Name == t.Of && len(s.Points) > 0 && !s.Level {
			from, to = max(t.From, s.Points[0].X), s.Points[len(s.Points)-1].X
		}
	}
	const parts = 48
	var d path
	for i := range parts + 1 {
		share := float64(i) / parts
		x := from + share*(to-from)
		if across.log {
			x = from * math.Pow(to/from, share)
		}
		y := unit.Of(t.Intercept + t.Slope*x)
		if !finite(x, y) {
			return
		}
		d.to(across.at(x), vertical.at(y))
	}
	p.add(`<g class="%s"><path class="trend" d="%s"/></g>`, t.class(series), d.String())
}

// about describes the picture for readers who cannot see it.
func (l *Lines) about(unit humanize.Unit, series []drawn, marks []Mark, across *axis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s, over %s from %s to %s.", cmp.Or(unit.Name, "Figures"), l.Measure.direction(), l.Axis, trimmed(across.min), trimmed(across.max))
	for _, s := range series {
		if len(s.Points) == 0 {
			continue
		}
		first, last := s.Points[0], s.Points[len(s.Points)-1]
		switch {
		case s.Level, len(s.Points) == 1:
			fmt.Fprintf(&b, " %s: %s.", s.Name, humanize.Number(first.Y))
		default:
			best := slices.MinFunc(s.Points, func(a, b Point) int {
				if l.Measure.Better == "higher" {
					a, b = b, a
				}
				return cmp.Compare(a.Y, b.Y)
			})
			fmt.Fprintf(&b, " %s: %s at %s, %s at %s, best %s at %s.", s.Name,
				humanize.Number(first.Y), trimmed(first.X), humanize.Number(last.Y), trimmed(last.X), humanize.Number(best.Y), trimmed(best.X))
		}
	}
	for _, m := range marks {
		fmt.Fprintf(&b, " A line marks %s.", m.Name)
	}
	return b.String()
}
