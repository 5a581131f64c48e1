package main

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Sizes of a picture, in its own units.
const (
	width  = 820
	height = 425
	left   = 60
	right  = 20
)

// The colours work on white and on black; the reader's setting decides.
const style = `<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.grid { stroke: #d0d7de; stroke-width: 1 }
path { fill: none; stroke-width: 1.6; stroke-linejoin: round }
.limit { stroke: #0969da } .nstar { stroke: #bc4c00; stroke-width: 2.6; stroke-dasharray: 6 4 } .share { stroke: #1a7f37 }
@media (prefers-color-scheme: dark) {
text { fill: #d1d7e0 } .grid { stroke: #3d444d }
.limit { stroke: #58a6ff } .nstar { stroke: #f0883e } .share { stroke: #3fb950 }
}
</style>
`

// A dot is a value that holds from x on.
type dot struct{ x, y float64 }

// steps is a value over time, by its changes.
type steps []dot

// add appends a value, if it is a new one.
func (s steps) add(x, y float64) steps {
	if len(s) > 0 && s[len(s)-1].y == y {
		return s
	}
	return append(s, dot{x, y})
}

// A scale maps a value to 0 (bottom) … 1 (top).
type scale func(float64) float64

func logScale(octaves int) scale {
	return func(y float64) float64 { return math.Log2(max(y, 1)) / float64(octaves) }
}

func linearScale(low, high float64) scale {
	return func(y float64) float64 { return (y - low) / (high - low) }
}

// A tick is a labelled value of an axis.
type tick struct {
	at    float64
	label string
}

// octaveTicks labels powers of two, at most eight of them.
func octaveTicks(octaves int) []tick {
	every := 1 + octaves/8
	var ts []tick
	for i := 0; i <= octaves; i += every {
		ts = append(ts, tick{float64(int(1) << i), strconv.Itoa(1 << i)})
	}
	return ts
}

// A picture is an SVG under way: panels above each other with one time axis.
type picture struct {
	b           strings.Builder
	seconds     float64
	top, height float64 // of the newest panel
	scale       scale
	legend      float64 // where the next legend of the panel begins
}

func newPicture(title string, seconds float64) *picture {
	p := &picture{seconds: seconds}
	fmt.Fprintf(&p.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">`+"\n", width, height)
	fmt.Fprintf(&p.b, "<title>%s</title>\n%s", html.EscapeString(title), style)
	fmt.Fprintf(&p.b, `<text class="title" x="%d" y="20">%s</text>`+"\n", left, html.EscapeString(title))
	return p
}

func (p *picture) x(seconds float64) float64 {
	return left + seconds/p.seconds*(width-left-right)
}

func (p *picture) y(v float64) float64 {
	return p.top + p.height*(1-min(max(p.scale(v), 0), 1))
}

// panel begins a panel below the others.
func (p *picture) panel(name string, top, height float64, s scale, ts []tick) {
	p.top, p.height, p.scale, p.legend = top, height, s, left+80
	fmt.Fprintf(&p.b, `<text x="%d" y="%g">%s</text>`+"\n", left, top-8, html.EscapeString(name))
	for _, t := range ts {
		y := p.y(t.at)
		fmt.Fprintf(&p.b, `<path class="grid" d="M%d %.1fH%d"/>`, left, y, width-right)
		fmt.Fprintf(&p.b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-8, y+4, t.label)
	}
	for t := 0.0; t <= p.seconds; t += 10 {
		fmt.Fprintf(&p.b, `<text x="%.1f" y="%.1f" text-anchor="middle">%g s</text>`+"\n", p.x(t), top+height+18, t)
	}
}

// line draws a value over time and its legend.
func (p *picture) line(class string, s steps, name string) {
	fmt.Fprintf(&p.b, `<path class="%s" d="`, class)
	for i, d := range s {
		if i == 0 {
			fmt.Fprintf(&p.b, "M%.1f %.1f", p.x(d.x), p.y(d.y))
			continue
		}
		fmt.Fprintf(&p.b, "H%.1fV%.1f", p.x(d.x), p.y(d.y))
	}
	fmt.Fprintf(&p.b, `H%.1f"/>`+"\n", p.x(p.seconds))
	fmt.Fprintf(&p.b, `<path class="%s" d="M%.0f %.0fh24"/><text x="%.0f" y="%.0f">%s</text>`+"\n",
		class, p.legend, p.top-12, p.legend+30, p.top-8, html.EscapeString(name))
	p.legend += 60 + 7*float64(len([]rune(name)))
}

func (p *picture) end() string {
	p.b.WriteString("</svg>\n")
	return p.b.String()
}
