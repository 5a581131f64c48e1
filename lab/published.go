package lab

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

//go:embed published.json
var publishedText []byte

// publishedFigures are the figures of the articles, in the units of the points that they are
// compared with. If an article did more work, they are for one unit of work, except those of A4. A
// figure with a place on the axis and no height is a number that was best.
var publishedFigures = sync.OnceValue(func() (all map[string][]figures.Published) {
	d := json.NewDecoder(bytes.NewReader(publishedText))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		panic("lab: published.json: " + err.Error())
	}
	return all
})

// published returns the figures for an experiment that does n units of work.
func (e *experiment) published(n int) []figures.Published {
	all := slices.Clone(publishedFigures()[e.id])
	switch e.id {
	case "A4": // its times are those of a whole run
		for i := range all {
			all[i].Y *= float64(n) / float64(e.size.article)
		}
	case "E8", "E9":
		return publishedSpeedups(e.id == "E8")
	}
	return all
}

const speedupUnit = "times sequential"

// publishedSpeedups are those of the article's law, placed at the median limit.
func publishedSpeedups(placed bool) []figures.Published {
	return each(reported, func(f reportedFigure) figures.Published {
		j := f.task(quick)
		p := figures.Published{Label: j.labelOf(governor{name: asPublished}), Panel: j.name, Y: f.speedup, Unit: speedupUnit}
		p.Text = fmt.Sprintf("with a median limit of %g on %g CPUs", f.median, f.cpus)
		if placed {
			p.X = f.median
		}
		return p
	})
}
