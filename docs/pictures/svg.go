package main

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// The colours work on white and on black; the reader's setting decides.
const style = `<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.grid { stroke: #d0d7de; stroke-width: 1 }
path { fill: none; stroke-width: 1.8; stroke-linejoin: round }
.limit, .first { stroke: #0969da } .second { stroke: #bc4c00 } .third { stroke: #1a7f37 } .fourth { stroke: #8250df }
.nstar { stroke: #bc4c00; stroke-width: 2.4; stroke-dasharray: 6 4 }
circle { fill: none; stroke-width: 2.4 }
@media (prefers-color-scheme: dark) {
text { fill: #d1d7e0 } .grid { stroke: #3d444d }
.limit, .first { stroke: #58a6ff } .second, .nstar { stroke: #f0883e } .third { stroke: #3fb950 } .fourth { stroke: #bc8cff }
}
</style>
`

var colours = []string{"first", "second", "third", "fourth"}

const width = 820 // of a picture, in its own units

// A dot is a point in the units of what is shown.
type dot struct{ x, y float64 }

// steps is a value that holds until the next one.
type steps []dot

// add appends a value, as a horizontal line to it and a vertical one.
func (s steps) add(x, y float64) steps {
	if n := len(s); n > 0 {
		if s[n-1].y == y {
			return s
		}
		s = append(s, dot{x, s[n-1].y})
	}
	return append(s, dot{x, y})
}

// until lets the last value hold to the end.
func (s steps) until(x float64) []dot {
	if len(s) == 0 {
		return nil
	}
	return append(s, dot{x, s[len(s)-1].y})
}

// A scale maps a value to 0 … 1.
type scale func(float64) float64

func logScale(octaves int) scale {
	return func(v float64) float64 { return math.Log2(max(v, 1)) / float64(octaves) }
}

func linearScale(low, high float64) scale {
	return func(v float64) float64 { return (v - low) / (high - low) }
}

// A tick is a labelled value of an axis.
type tick struct {
	at    float64
	label string
}

// octaveTicks labels the powers of two.
func octaveTicks(octaves int) []tick {
	var ts []tick
	for i := range octaves + 1 {
		ts = append(ts, tick{float64(int(1) << i), strconv.Itoa(1 << i)})
	}
	return ts
}

// A frame is where a diagram stands, and its scales.
type frame struct {
	left, top, width, height float64
	x, y                     scale
}

// at returns where a point is drawn; outside of the scales, at their end.
func (f frame) at(d dot) (x, y float64) {
	clamp := func(v float64) float64 { return min(max(v, 0), 1) }
	return f.left + f.width*clamp(f.x(d.x)), f.top + f.height*(1-clamp(f.y(d.y)))
}

// A picture is an SVG under way.
type picture struct{ b strings.Builder }

func newPicture(title string, height int) *picture {
	p := new(picture)
	fmt.Fprintf(&p.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">`+"\n", width, height)
	fmt.Fprintf(&p.b, "<title>%s</title>\n%s", html.EscapeString(title), style)
	fmt.Fprintf(&p.b, `<text class="title" x="60" y="22">%s</text>`+"\n", html.EscapeString(title))
	return p
}

func (p *picture) text(x, y float64, s string) {
	fmt.Fprintf(&p.b, `<text x="%.1f" y="%.1f">%s</text>`+"\n", x, y, html.EscapeString(s))
}

// axes draws grid and labels.
func (p *picture) axes(f frame, xs, ys []tick) {
	for _, t := range ys {
		_, y := f.at(dot{0, t.at})
		fmt.Fprintf(&p.b, `<path class="grid" d="M%.1f %.1fh%.1f"/>`, f.left, y, f.width)
		fmt.Fprintf(&p.b, `<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`+"\n", f.left-8, y+4, t.label)
	}
	for _, t := range xs {
		x, _ := f.at(dot{t.at, 0})
		fmt.Fprintf(&p.b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", x, f.top+f.height+18, t.label)
	}
}

// line draws points as one line.
func (p *picture) line(f frame, class string, points []dot) {
	fmt.Fprintf(&p.b, `<path class="%s" d="`, class)
	for i, d := range points {
		x, y := f.at(d)
		fmt.Fprintf(&p.b, "%c%.1f %.1f", "ML"[min(i, 1)], x, y)
	}
	p.b.WriteString("\"/>\n")
}

// mark draws a ring around a point.
func (p *picture) mark(f frame, class string, d dot) {
	x, y := f.at(d)
	fmt.Fprintf(&p.b, `<circle class="%s" cx="%.1f" cy="%.1f" r="6"/>`+"\n", class, x, y)
}

func (p *picture) legend(class string, x, y float64, s string) {
	fmt.Fprintf(&p.b, `<path class="%s" d="M%.0f %.0fh24"/>`, class, x, y-4)
	p.text(x+32, y, s)
}

func (p *picture) end() string {
	p.b.WriteString("</svg>\n")
	return p.b.String()
}
