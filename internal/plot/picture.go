package plot

import (
	"cmp"
	_ "embed"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// Style is the style sheet of all pictures, for a page that holds them.
//
//go:embed style.css
var Style string

// The widths that pictures are drawn for, in CSS pixels. Letters keep their size,
// so a phone gets a picture of its own.
const (
	Wide   = 720
	Narrow = 350
)

// A Point is a figure with its interval.
type Point struct {
	X            float64 // where on the axis
	Y, Low, High float64
	Samples      []float64
}

// A Measure is what figures are of.
type Measure struct {
	Unit   string
	Better string // lower or higher; empty if neither is
}

func (m Measure) direction() string {
	if m.Better == "" {
		return ""
	}
	return ", " + m.Better + " is better"
}

// along describes an axis of figures in a unit.
func (m Measure) along(a *axis, unit humanize.Unit) string {
	s := cmp.Or(unit.Name, "figure") + m.direction()
	if a.log {
		return s + " (logarithmic)"
	} else if a.min > 0 {
		return s + " (not from 0)"
	}
	return s
}

// A Drawing is what a picture can be of: [Course], [Dots], [Heat] or [Lines].
type Drawing interface{ draw(p *picture) string }

// SVG returns the picture for a page that has [Style]. id must differ from those
// of all other pictures there.
func SVG(d Drawing, width int, id string) string {
	return d.draw(&picture{width: float64(width), id: id})
}

// Standalone returns the picture as a file of its own, with its title.
func Standalone(d Drawing) string { return d.draw(&picture{width: Wide, id: "plot", alone: true}) }

// A picture is an SVG in the making: top down, as the height is known last.
type picture struct {
	b     strings.Builder
	width float64
	y     float64 // what is above is done
	id    string
	alone bool
}

// margin is that around pictures that stand alone.
const margin = 16

func (p *picture) add(format string, args ...any) {
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// text writes a line at the given place. anchor is start, middle or end.
func (p *picture) text(x, y float64, class, anchor, s string) {
	attributes := ""
	if class != "" {
		attributes += ` class="` + class + `"`
	}
	if anchor != "start" {
		attributes += ` text-anchor="` + anchor + `"`
	}
	p.add(`<text x="%s" y="%s"%s>%s</text>`, num(x), num(y), attributes, escape(s))
}

// paragraph writes text from the left in as many lines as it takes.
func (p *picture) paragraph(class, s string, size, line float64) {
	for _, l := range humanize.Wrap(s, columns(p.width, size)) {
		p.y += line
		p.text(0, p.y, class, "start", l)
	}
}

// head writes the title above a picture that stands alone.
func (p *picture) head(title string) {
	if p.alone {
		p.paragraph("head", title, 15, 20)
		p.y += 4
	}
}

// beside writes the name of a line that is upright at x, on the side that has room.
func (p *picture) beside(x, y float64, name string) {
	if x+4+widthOf(name, 11) > p.width {
		p.text(x-4, y, "soft", "end", name)
		return
	}
	p.text(x+4, y, "soft", "start", name)
}

// field draws the ticks and the foot of a field right of left.
func (p *picture) field(left float64, vertical *axis, ticks []float64) {
	for _, t := range ticks {
		y := vertical.at(t)
		p.add(`<path class="grid" d="M%s %sH%s"/>`, num(left), num(y), num(p.width))
		p.text(left-6, y+4, "", "end", short(t))
	}
	p.add(`<path class="frame" d="M%s %sH%s"/>`, num(left), num(vertical.from), num(p.width))
}

// foot draws the ticks of the axis below a field whose foot is at y, and its name.
func (p *picture) foot(y float64, across *axis, ticks []float64, name string) {
	for _, t := range ticks {
		p.add(`<path class="frame" d="M%s %sv4"/>`, num(across.at(t)), num(y))
		p.text(across.at(t), y+17, "", "middle", short(t))
	}
	p.text(p.width, y+33, "soft", "end", name)
}

// clip defines an area to clip to: a field and what is above it.
func (p *picture) clip(area string, left, above float64, vertical *axis) {
	p.add(`<clipPath id="%s-%s"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath>`, escape(p.id), area,
		num(left), num(vertical.to-above), num(p.width-left), num(vertical.from-vertical.to+above))
}

// A path is the outline of a shape in the making.
type path struct{ strings.Builder }

// to goes on to a place, with a line to it unless it is the first.
func (d *path) to(x, y float64) {
	op := "L"
	if d.Len() == 0 {
		op = "M"
	}
	fmt.Fprintf(d, "%s%s %s", op, num(x), num(y))
}

// finish returns the whole SVG.
func (p *picture) finish(title, about, caption string) string {
	if p.alone && caption != "" {
		p.y += 6
		p.paragraph("soft", caption, 11, 15)
	}
	w, h := p.width, math.Ceil(p.y+4)
	var b strings.Builder
	box := fmt.Sprintf("0 0 %s %s", num(w), num(h))
	if p.alone {
		w, h = w+2*margin, h+2*margin
		box = fmt.Sprintf("%d %d %s %s", -margin, -margin, num(w), num(h))
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="%s" height="%s" viewBox="%s" role="img" aria-labelledby="%s-title %[4]s-about">`+"\n",
		num(w), num(h), box, escape(p.id))
	fmt.Fprintf(&b, "<title id=\"%s-title\">%s</title>\n<desc id=\"%[1]s-about\">%[3]s</desc>\n", escape(p.id), escape(title), escape(about))
	if p.alone {
		fmt.Fprintf(&b, "<style>\n%s</style>\n", Style)
		fmt.Fprintf(&b, `<rect class="paper" x="%d" y="%[1]d" width="%[2]s" height="%[3]s"/>`+"\n", -margin, num(w), num(h))
	}
	b.WriteString(p.b.String())
	b.WriteString("</svg>\n")
	return b.String()
}

// num prints a place in tenths of a pixel.
func num(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v+0), ".0")
}

func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder returns no error
	return b.String()
}

// widthOf estimates how wide text is.
func widthOf(s string, size float64) float64 {
	return letter * size * float64(utf8.RuneCountInString(s))
}

func widest(ticks []float64) (w float64) {
	for _, t := range ticks {
		w = max(w, widthOf(short(t), 12))
	}
	return w
}

// letter is how wide a letter is, as a share of the size of its font. It errs on the
// large side, since no font is at hand.
const letter = 0.6

// columns is how many letters of a size fit into a width.
func columns(width, size float64) int { return int(width / (letter * size)) }

// colours is how many the style has beside that of ours.
const colours = 7

// class returns that of the i-th series, or of ours.
func class(i int, ours bool) string {
	if ours {
		return "ours"
	}
	return fmt.Sprintf("s%d", i%colours)
}

// shape returns the outline of the i-th series' mark around a place. Ours is a
// star.
func shape(i int, ours bool, x, y, r float64) string {
	if ours {
		i = -1
		r *= 1.5
	}
	polygon := func(n int, turn float64, radius func(i int) float64) string {
		var d path
		for k := range n {
			a := turn + 2*math.Pi*float64(k)/float64(n)
			d.to(x+radius(k)*math.Sin(a), y-radius(k)*math.Cos(a))
		}
		return d.String() + "z"
	}
	same := func(r float64) func(int) float64 { return func(int) float64 { return r } }
	switch i % 6 {
	case -1:
		return polygon(10, 0, func(k int) float64 { return r * (1 - 0.5*float64(k%2)) })
	case 0:
		return fmt.Sprintf("M%s %sa%s %[3]s 0 1 0 %[4]s 0a%[3]s %[3]s 0 1 0 -%[4]s 0z", num(x-r), num(y), num(r), num(2*r))
	case 1:
		return polygon(4, math.Pi/4, same(1.25*r))
	case 2:
		return polygon(3, 0, same(1.3*r))
	case 3:
		return polygon(4, 0, same(1.35*r))
	case 4:
		return polygon(3, math.Pi, same(1.3*r))
	}
	return polygon(12, math.Pi/4+math.Pi/12, func(k int) float64 { // a cross
		if k%3 == 1 {
			return 0.5 * r
		}
		return 1.3 * r
	})
}

// dot adds a round dot to a path.
func dot(b *strings.Builder, x, y float64) { fmt.Fprintf(b, "M%s %sh0", num(x), num(y)) }

// sayIn describes a point, which is in that unit, for the reader who points at it.
func sayIn(name string, p Point, unit humanize.Unit) string {
	s := fmt.Sprintf("%s: %s %s (%s to %s)", name, humanize.Number(p.Y), unit.Name, humanize.Number(p.Low), humanize.Number(p.High))
	for i, v := range p.Samples {
		sep := ", "
		if i == 0 {
			sep = "; samples "
		}
		s += sep + humanize.Number(v)
	}
	return s
}

// finite reports whether a point can be drawn.
func (p Point) finite() bool { return finite(p.X, p.Y, p.Low, p.High) }

// finite reports whether all of vs are numbers that have a place. The largest over the smallest must
// be a number, too.
func finite(vs ...float64) bool {
	return !slices.ContainsFunc(vs, func(v float64) bool {
		a := math.Abs(v)
		return !(a == 0 || a >= 1e-150 && a <= 1e150)
	})
}

// rank orders ours before the others, and goals after them.
func rank(ours, goal bool) int {
	switch {
	case ours:
		return 0
	case goal:
		return 2
	}
	return 1
}
