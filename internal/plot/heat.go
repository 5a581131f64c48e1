package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// Heat is a picture of figures over two parameters: a field for each pair, the
// deeper its colour the larger the figure, which is written on it.
type Heat struct {
	Title   string
	Caption string // below, where the picture stands alone
	X, Y    string // what is along the axes
	Measure Measure
	Cells   []Cell
}

// A Cell is the figure at one pair of parameters.
type Cell struct{ X, Y, Value float64 }

// Colours go from hardly any to what text can still be read on.
const (
	faint = 0.06
	deep  = 0.7
)

func (h *Heat) draw(p *picture) string {
	var cells []Cell
	var xs, ys, values []float64
	for _, c := range h.Cells {
		if !finite(c.X, c.Y, c.Value) {
			continue
		}
		cells = append(cells, c)
		xs, ys, values = append(xs, c.X), append(ys, c.Y), append(values, c.Value)
	}
	unit := humanize.UnitFor(h.Measure.Unit, values...)
	xs, ys = places(xs), places(ys)
	// The title stands above the picture on a page, too: an experiment may have
	// several of these.
	class, size, line := "strong", 12.0, 17.0
	if p.alone {
		class, size, line = "head", 15, 20
	}
	p.paragraph(class, h.Title, size, line)
	p.y += 4
	// The axis of colours.
	shade := axis{min: math.Inf(1), max: math.Inf(-1), from: faint, to: deep}
	if len(values) > 0 {
		shade.min, shade.max = slices.Min(values), slices.Max(values)
		shade.log = shade.min > 0 && shade.max > wide*shade.min
	}
	about := strings.TrimSpace(unit.Name + h.Measure.direction())
	if shade.log {
		about += " (colours logarithmic)"
	}
	p.paragraph("soft", about, 11, 15)
	p.y += 15
	p.text(0, p.y, "soft", "start", h.Y)
	p.y += 6

	left := widest(ys) + 8
	const rowHeight = 34.0
	columnWidth := 0.0
	if len(xs) > 0 {
		columnWidth = min(110, (p.width-left)/float64(len(xs)))
	}
	top := p.y
	bottom := top + rowHeight*float64(len(ys))
	for i, y := range ys {
		p.text(left-6, bottom-(float64(i)+0.5)*rowHeight+4, "", "end", short(y))
	}
	for i, x := range xs {
		p.text(left+(float64(i)+0.5)*columnWidth, bottom+16, "", "middle", short(x))
	}
	for _, c := range cells {
		i, j := slices.Index(xs, c.X), slices.Index(ys, c.Y)
		x, y := left+float64(i)*columnWidth, bottom-float64(j+1)*rowHeight
		opacity := (faint + deep) / 2
		if shade.max > shade.min {
			opacity = shade.at(c.Value)
		}
		p.add(`<g class="s0"><rect class="cell" fill-opacity="%.2f" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect></g>`,
			opacity, num(x+1), num(y+1), num(columnWidth-2), num(rowHeight-2),
			escape(fmt.Sprintf("%s %s, %s %s: %s %s", h.X, short(c.X), h.Y, short(c.Y), unit.Number(c.Value), unit.Name)))
		p.text(x+columnWidth/2, y+rowHeight/2+4, "", "middle", brief(unit.Of(c.Value)))
	}
	p.text(left+columnWidth*float64(len(xs)), bottom+32, "soft", "end", h.X)
	p.y = bottom + 36
	return p.finish(h.Title, h.about(unit, cells), h.Caption)
}

// brief prints a figure in as few letters as tell it from others on the picture.
func brief(v float64) string {
	switch a := math.Abs(v); {
	case a >= 10:
		return humanize.Grouped(int64(math.Round(v)))
	case a >= 1:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func places(vs []float64) []float64 { return slices.Compact(slices.Sorted(slices.Values(vs))) }

// about describes the picture for readers who cannot see it.
func (h *Heat) about(unit humanize.Unit, cells []Cell) string {
	if len(cells) == 0 {
		return "There is nothing to show."
	}
	by := func(a, b Cell) int { return cmp.Compare(a.Value, b.Value) }
	least, most := slices.MinFunc(cells, by), slices.MaxFunc(cells, by)
	say := func(c Cell) string {
		return fmt.Sprintf("%s at %s %s, %s %s", unit.Number(c.Value), h.X, short(c.X), h.Y, short(c.Y))
	}
	return fmt.Sprintf("%s over %s and %s: from %s to %s.", strings.TrimSpace(unit.Name+h.Measure.direction()), h.X, h.Y, say(least), say(most))
}
