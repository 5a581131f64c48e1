package simcmd

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/sim"
)

// A panel is drawn on a grid of whole units: the numbers stay short, and a
// page has hundreds of panels. Above is the limit on a log2 axis, below the
// throughput as a share of the best.
const (
	panelWidth, panelHeight = 480, 320
	plotLeft, plotRight     = 66, 474
	limitTop, limitBottom   = 14, 180
	shareTop, shareBottom   = 220, 284
	panelColumns            = (plotRight - plotLeft) / 2 // a line is as wide
)

// panelAxes are what the panels of a scenario have in common.
type panelAxes struct {
	seconds float64
	highest int // limit
}

// octaves returns how many doublings the limit's axis shows.
func (a panelAxes) octaves() float64 {
	return max(1, math.Ceil(math.Log2(float64(a.highest))))
}

func (a panelAxes) limitAt(n int) int {
	up := math.Log2(float64(max(n, 1))) / a.octaves()
	return limitBottom - int(math.Round(up*(limitBottom-limitTop)))
}

func shareAt(share float64) int {
	return shareBottom - int(math.Round(min(max(share, 0), 1)*(shareBottom-shareTop)))
}

// column returns where a time is.
func (a panelAxes) column(at float64) int {
	return min(int(at/a.seconds*panelColumns), panelColumns-1)
}

// backdrop returns the axes, N* and the number of CPUs, as a symbol that the
// panels of scenario i use.
func (a panelAxes) backdrop(i, cpus int, trace []sim.Point) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<symbol id="b%d" viewBox="0 0 %d %d">`, i, panelWidth, panelHeight)
	octaves := int(a.octaves())
	step := (octaves + 3) / 4 // at most five lines
	for o := 0; o <= octaves; o += step {
		y := a.limitAt(1 << o)
		fmt.Fprintf(&b, `<path class="grid" d="M%d %dH%d"/><text x="%d" y="%d">%s</text>`, plotLeft, y, plotRight, plotLeft-8, y+9, short(1<<o))
	}
	for _, share := range []float64{0, 1} {
		y := shareAt(share)
		fmt.Fprintf(&b, `<path class="grid" d="M%d %dH%d"/><text x="%d" y="%d">%v</text>`, plotLeft, y, plotRight, plotLeft-8, y+9, share)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">%v s</text>`, plotRight, panelHeight-4, a.seconds)
	fmt.Fprintf(&b, `<path class="cpus" d="M%d %dH%d"/>`, plotLeft, a.limitAt(cpus), plotRight)
	b.WriteString(a.line("nstar", trace, func(p sim.Point) int { return a.limitAt(p.NStar) }))
	b.WriteString(`</symbol>`)
	return template.HTML(b.String())
}

// panel returns one law's picture.
func (a panelAxes) panel(i int, trace []sim.Point) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" aria-hidden="true"><use href="#b%d"/>`, panelWidth, panelHeight, i)
	b.WriteString(a.line("limit", trace, func(p sim.Point) int { return a.limitAt(p.Limit) }))
	b.WriteString(a.line("share", trace, func(p sim.Point) int { return shareAt(p.X / p.XBest) }))
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// line returns the path of a value over time.
func (a panelAxes) line(class string, trace []sim.Point, y func(sim.Point) int) string {
	return linePath(class, trace, func(p sim.Point) int { return a.column(p.At) }, y)
}

// linePath returns the path of a value over columns. One that holds several
// points shows all between the lowest and the highest of them.
func linePath[T any](class string, points []T, column, y func(T) int) string {
	var p stepPath
	for i := 0; i < len(points); {
		c := column(points[i])
		last := y(points[i])
		low, high := last, last
		for ; i < len(points) && column(points[i]) == c; i++ {
			last = y(points[i])
			low, high = min(low, last), max(high, last)
		}
		p.to(plotLeft+2*c, low, high, last)
	}
	p.end(plotRight)
	return fmt.Sprintf(`<path class="%s" d="%s"/>`, class, p.b.String())
}

// A stepPath is an SVG path of horizontal and vertical strokes, in as few
// characters as that takes.
type stepPath struct {
	b    strings.Builder
	x, y int
}

// to goes to column x, covers what is between low and high there, and ends at
// last.
func (p *stepPath) to(x, low, high, last int) {
	if p.b.Len() == 0 {
		fmt.Fprintf(&p.b, "M%d %d", x, last)
		p.x, p.y = x, last
	}
	if low == p.y && high == p.y {
		return // the stroke goes on
	}
	p.across(x)
	for _, y := range []int{low, high, last} {
		if y != p.y {
			fmt.Fprintf(&p.b, "v%d", y-p.y)
			p.y = y
		}
	}
}

func (p *stepPath) across(x int) {
	if x != p.x {
		fmt.Fprintf(&p.b, "h%d", x-p.x)
		p.x = x
	}
}

// end draws the last stroke.
func (p *stepPath) end(x int) {
	if p.b.Len() > 0 {
		p.across(x)
	}
}

// short writes a power of two as people say it: 512, 4k, 128k.
func short(n int) string {
	if n >= 1024 {
		return fmt.Sprintf("%dk", n/1024)
	}
	return fmt.Sprint(n)
}
