package plot

import (
	"fmt"
	"math"
	"strings"
)

// A Thumbnail is a small picture of what was seen over time, for a page with hundreds of
// them: two areas, one above the other, on a grid of whole units, which keeps it short.
// Its colours are the page's, by the class of each line and by grid.
type Thumbnail struct {
	Seconds      float64
	End          string // what stands below the end of the time
	Above, Below Area
}

// An Area is a part of a thumbnail.
type Area struct {
	Ticks []Tick
	Lines []Line
}

// A Tick is a labelled height, from 0 to 1.
type Tick struct {
	At    float64
	Label string
}

// A Line is a value over time, from 0 to 1, that holds until the next one.
type Line struct {
	Class         string
	Times, Values []float64
}

// Add appends a value.
func (l *Line) Add(at, value float64) {
	l.Times, l.Values = append(l.Times, at), append(l.Values, value)
}

// The places of a thumbnail.
const (
	thumbWidth, thumbHeight = 480, 320
	thumbLeft, thumbRight   = 66, 474
	aboveTop, aboveBottom   = 14, 180
	belowTop, belowBottom   = 220, 284
	thumbColumns            = (thumbRight - thumbLeft) / 2 // a line is as wide
)

// SVG returns the thumbnail, in front of the symbol of another one if there is its id.
func (t *Thumbnail) SVG(symbol string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" aria-hidden="true">`, thumbWidth, thumbHeight)
	if symbol != "" {
		fmt.Fprintf(&b, `<use href="#%s"/>`, escape(symbol))
	}
	t.draw(&b)
	return b.String() + `</svg>`
}

// Symbol returns the thumbnail as what several others have in common.
func (t *Thumbnail) Symbol(id string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<symbol id="%s" viewBox="0 0 %d %d">`, escape(id), thumbWidth, thumbHeight)
	t.draw(&b)
	return b.String() + `</symbol>`
}

func (t *Thumbnail) draw(b *strings.Builder) {
	t.Above.ticks(b, aboveTop, aboveBottom)
	t.Below.ticks(b, belowTop, belowBottom)
	if t.End != "" {
		fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`, thumbRight, thumbHeight-4, escape(t.End))
	}
	t.Above.lines(b, t.Seconds, aboveTop, aboveBottom)
	t.Below.lines(b, t.Seconds, belowTop, belowBottom)
}

func (a *Area) ticks(b *strings.Builder, top, bottom int) {
	for _, t := range a.Ticks {
		y := height(t.At, top, bottom)
		fmt.Fprintf(b, `<path class="grid" d="M%d %dH%d"/><text x="%d" y="%d">%s</text>`, thumbLeft, y, thumbRight, thumbLeft-8, y+9, escape(t.Label))
	}
}

// height returns where a value is.
func height(value float64, top, bottom int) int {
	return bottom - int(math.Round(min(max(value, 0), 1)*float64(bottom-top)))
}

// lines draws the values over columns of time. A column that holds several shows all
// between the lowest and the highest of them.
func (a *Area) lines(b *strings.Builder, seconds float64, top, bottom int) {
	for _, l := range a.Lines {
		column := func(i int) int { return min(int(l.Times[i]/seconds*thumbColumns), thumbColumns-1) }
		var p strokes
		for i := 0; i < len(l.Times); {
			c := column(i)
			last := height(l.Values[i], top, bottom)
			low, high := last, last
			for ; i < len(l.Times) && column(i) == c; i++ {
				last = height(l.Values[i], top, bottom)
				low, high = min(low, last), max(high, last)
			}
			p.to(thumbLeft+2*c, low, high, last)
		}
		p.end(thumbRight)
		fmt.Fprintf(b, `<path class="%s" d="%s"/>`, l.Class, p.b.String())
	}
}

// strokes are an SVG path of horizontal and vertical strokes, in as few characters as
// that takes.
type strokes struct {
	b    strings.Builder
	x, y int
}

// to goes to column x, covers what is between low and high there, and ends at
// last.
func (p *strokes) to(x, low, high, last int) {
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

func (p *strokes) across(x int) {
	if x != p.x {
		fmt.Fprintf(&p.b, "h%d", x-p.x)
		p.x = x
	}
}

// end draws the last stroke.
func (p *strokes) end(x int) {
	if p.b.Len() > 0 {
		p.across(x)
	}
}
