package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/plot"
)

// Strokes are merged, none is lost, and a column with several values shows them all.
func TestThumbnailLines(t *testing.T) {
	y := func(units float64) float64 { return 1 - units/166 } // the area above is as high, below 14
	for _, c := range []struct {
		values []float64
		per    int // column
		want   string
	}{
		{[]float64{5, 5, 5, 5}, 1, "M66 19h408"},
		{[]float64{5, 5, 9, 9}, 1, "M66 19h204v4h204"},
		{[]float64{5, 9, 5, 9}, 1, "M66 19h102v4h102v-4h102v4h102"},
		{[]float64{5, 8, 2, 5, 5, 5, 5, 5}, 2, "M66 22v-3v3h102v-6v3h306"},
	} {
		line := plot.Line{Class: "x"}
		for i, v := range c.values {
			line.Add(float64(i/c.per), y(v))
		}
		p := plot.Thumbnail{Seconds: float64(len(c.values) / c.per), Above: plot.Area{Lines: []plot.Line{line}}}
		if got := p.SVG(""); !strings.Contains(got, `<path class="x" d="`+c.want+`"/>`) {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

func TestThumbnailIsWellFormed(t *testing.T) {
	p := plot.Thumbnail{Seconds: 1, End: "<1 s>", Below: plot.Area{Ticks: []plot.Tick{{0.5, "a & b"}}, Lines: []plot.Line{{Class: "none"}}}}
	svg := p.Symbol("s") + p.SVG("s")
	for d := xml.NewDecoder(strings.NewReader("<all>" + svg + "</all>")); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
	}
	if !strings.Contains(svg, `<use href="#s"/>`) || !strings.Contains(svg, `d="M66 252H474"`) {
		t.Error(svg)
	}
}
