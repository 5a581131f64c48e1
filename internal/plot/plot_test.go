package plot_test

import (
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/plot"
)

var update = flag.Bool("update", false, "write the pictures that the tests compare with")

func point(x, y float64) plot.Point {
	return plot.Point{X: x, Y: y, Low: 0.9 * y, High: 1.2 * y, Samples: []float64{0.9 * y, y, 1.2 * y}}
}

// workers has all that lines may have.
func workers() *plot.Lines {
	l := &plot.Lines{
		Title: "A6  What one more goroutine costs", Caption: "A machine, 2 CPUs",
		Axis: "workers", Log2: true, Measure: plot.Measure{Unit: "ns/unit", Better: "lower"},
		Marks:  []plot.Mark{{At: 2, Name: "2 CPUs"}},
		Trends: []plot.Trend{{Of: "Do", Name: "line through Do", Intercept: 2000, Slope: 3, From: 2}},
	}
	do, state := plot.Series{Name: "Do"}, plot.Series{Name: `DoWithState <"&'>`}
	for _, x := range []float64{1, 2, 4, 12, 24, 100, 1000} {
		do.Points = append(do.Points, point(x, 4000/min(x, 2)+3*x))
		state.Points = append(state.Points, point(x, 3000/min(x, 2)+2*x))
	}
	one := plot.Series{Name: "a loop", Points: []plot.Point{point(1, 3900)}}
	ours := plot.Series{Name: "Map", Ours: true, Level: true, Points: []plot.Point{point(0, 1400)}}
	l.Series = []plot.Series{do, state, one, ours}
	return l
}

func kinds() *plot.Dots {
	return &plot.Dots{
		Title: "D2  Two goroutines for each call", Caption: "A machine, 2 CPUs",
		Measure: plot.Measure{Unit: "ns/run", Better: "lower"},
		Rows: []plot.Row{
			{Name: "Slow", Point: point(0, 1.4e6)},
			{Name: "Parallel1", Point: point(0, 1.2e9)},
			{Name: "JoinSerial, which needs neither a cutoff nor a number of goroutines to be given by anybody", Ours: true, Point: point(0, 1.3e6)},
		},
	}
}

func TestGolden(t *testing.T) {
	ratios := kinds()
	ratios.Measure, ratios.Log, ratios.Mark = plot.Measure{Unit: "times as good", Better: "higher"}, true, plot.Mark{At: 1, Name: "as good"}
	for i := range ratios.Rows {
		ratios.Rows[i].Point = point(0, 0.8+0.3*float64(i))
	}
	for name, svg := range map[string]string{
		"lines-wide":   plot.SVG(workers(), plot.Wide, "a6"),
		"lines-narrow": plot.SVG(workers(), plot.Narrow, "a6"),
		"lines-alone":  plot.Standalone(workers()),
		"dots-wide":    plot.SVG(kinds(), plot.Wide, "d2"),
		"dots-narrow":  plot.SVG(kinds(), plot.Narrow, "d2"),
		"dots-alone":   plot.Standalone(kinds()),
		"ratios":       plot.SVG(ratios, plot.Wide, "ratios"),
	} {
		file := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(file, []byte(svg), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if svg != string(want) {
			t.Errorf("%s differs; look at what -update makes of it", file)
		}
		check(t, name, svg)
	}
}

// Whatever the figures, a picture is well-formed, has every name, stays within its
// edges and holds no number that is none.
func TestAnyFigures(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []func() float64{
		func() float64 { return 0 },
		func() float64 { return 1 },
		func() float64 { return r.Float64() },
		func() float64 { return -1000 * r.Float64() },
		func() float64 { return math.Pow(10, 30*r.Float64()-15) },
		func() float64 { return math.Pow(10, 290*r.Float64()-145) },
		func() float64 { return 20000 + 0.001*r.Float64() },
	}
	places := []func() float64{
		func() float64 { return 0 },
		func() float64 { return 1 },
		func() float64 { return float64(r.IntN(1000)) },
		func() float64 { return math.Exp2(float64(r.IntN(40))) },
		func() float64 { return -r.Float64() },
		func() float64 { return 1e18 }, // where 1 more is the same number
	}
	for i := range 80 {
		value, place := values[r.IntN(len(values))], places[r.IntN(len(places))]
		a := func(x float64) plot.Point {
			y := value()
			p := plot.Point{X: x, Y: y, Low: y - math.Abs(value()), High: y + math.Abs(value())}
			for range r.IntN(4) {
				p.Samples = append(p.Samples, value())
			}
			return p
		}
		units := []string{"ns/op", "s", "B", "", "requests/s"}
		m := plot.Measure{Unit: units[r.IntN(len(units))], Better: []string{"", "lower", "higher"}[r.IntN(3)]}
		l := &plot.Lines{Title: "t", Axis: "x", Log2: r.IntN(2) == 0, Measure: m}
		d := &plot.Dots{Title: "t", Measure: m, Log: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			d.Mark = plot.Mark{At: 1, Name: "one"}
		}
		var names []string
		for s := range r.IntN(10) {
			name := fmt.Sprintf("series %d", s)
			names = append(names, name)
			series := plot.Series{Name: name, Ours: r.IntN(4) == 0, Level: r.IntN(5) == 0}
			for range 1 + r.IntN(5) {
				series.Points = append(series.Points, a(place()))
				if series.Level {
					break
				}
			}
			l.Series = append(l.Series, series)
			l.Trends = append(l.Trends, plot.Trend{Of: name, Intercept: value(), Slope: value(), From: place()})
			l.Marks = append(l.Marks, plot.Mark{At: place(), Name: "mark"})
			d.Rows = append(d.Rows, plot.Row{Name: name, Ours: series.Ours, Point: a(0)})
		}
		for _, svg := range []string{plot.SVG(l, plot.Narrow, "l"), plot.Standalone(l), plot.SVG(d, plot.Wide, "d"), plot.Standalone(d)} {
			text := check(t, fmt.Sprintf("figures %d", i), svg)
			for _, name := range names {
				if !strings.Contains(text, name) {
					t.Errorf("figures %d: %s is missing", i, name)
				}
			}
			if t.Failed() {
				t.Fatal(svg)
			}
		}
	}
}

// What is no number is left out, and the rest is drawn.
func TestNoNumbers(t *testing.T) {
	l, d := workers(), kinds()
	l.Series[0].Points[1].Y = math.NaN()
	l.Series[1].Points[1].High = math.Inf(1)
	l.Series[1].Points[2].Samples[0] = math.NaN()
	l.Trends[0].Slope = math.NaN()
	d.Rows[0].Point.Y = math.Inf(-1)
	d.Rows[1].Point.Samples[1] = math.NaN()
	d.Rows = append(d.Rows, plot.Row{Name: "Far", Point: point(0, 1e200)}, plot.Row{Name: "Near", Point: point(0, 1e-200)})
	check(t, "lines", plot.SVG(l, plot.Wide, "l"))
	text := check(t, "dots", plot.SVG(d, plot.Wide, "d"))
	if regexp.MustCompile("Slow|Far|Near").MatchString(text) || !strings.Contains(text, "Parallel1") {
		t.Errorf("the rows are wrong: %s", text)
	}
}

func TestEmpty(t *testing.T) {
	check(t, "lines", plot.Standalone(&plot.Lines{Title: "nothing", Axis: "workers", Log2: true}))
	check(t, "dots", plot.Standalone(&plot.Dots{Title: "nothing"}))
}

// The CPU count stands where its point stands, and only if it is on the axis.
func TestMark(t *testing.T) {
	l := workers()
	svg := plot.SVG(l, plot.Wide, "l")
	mark := regexp.MustCompile(`class="mark" d="M([\d.]+) `).FindStringSubmatch(svg)
	tick := regexp.MustCompile(`<text x="([\d.]+)" y="[\d.]+" text-anchor="middle">2</text>`).FindStringSubmatch(svg)
	if mark == nil || tick == nil || mark[1] != tick[1] {
		t.Errorf("the mark is at %v, 2 at %v", mark, tick)
	}
	l.Marks[0].At = 2000
	if svg := plot.SVG(l, plot.Wide, "l"); strings.Contains(svg, `class="mark"`) || strings.Contains(svg, "2 CPUs") {
		t.Error("a mark outside the axis is drawn")
	}
}

func TestAxes(t *testing.T) {
	one := func(ys ...float64) string {
		s := plot.Series{Name: "s"}
		for i, y := range ys {
			s.Points = append(s.Points, plot.Point{X: float64(i + 1), Y: y, Low: y, High: y})
		}
		return text(t, plot.SVG(&plot.Lines{Title: "t", Axis: "places", Measure: plot.Measure{Unit: "ms", Better: "lower"}, Series: []plot.Series{s}}, plot.Wide, "l"))
	}
	for _, c := range []struct {
		ys   []float64
		want string
	}{
		{[]float64{1, 2, 19}, "ms, lower is better\n"},
		{[]float64{1, 2, 21}, "ms, lower is better (logarithmic)\n"},
		{[]float64{8, 9, 10}, "ms, lower is better (not from 0)\n"},
		{[]float64{9.99, 10}, "ms, lower is better\n"},
		{[]float64{-5, 5}, "ms, lower is better\n"},
		{[]float64{0, 0}, "ms, lower is better\n"},
		{[]float64{6000, 9000}, "s, lower is better (not from 0)\n"},
	} {
		if got := one(c.ys...); !strings.Contains(got, "\n"+c.want) {
			t.Errorf("%v: no %q in %q", c.ys, c.want, got)
		}
	}
}

// Parts of a whole have a linear axis from 0 on, however far apart they are.
func TestParts(t *testing.T) {
	for _, parts := range []bool{false, true} {
		d := &plot.Dots{Title: "t", Measure: plot.Measure{Unit: "%"}, Parts: parts}
		for _, v := range []float64{1.5, 7, 90} {
			d.Rows = append(d.Rows, plot.Row{Name: "r", Point: plot.Point{Y: v, Low: v, High: v}})
		}
		if got := strings.Contains(text(t, plot.SVG(d, plot.Wide, "d")), "(logarithmic)"); got == parts {
			t.Errorf("parts of a whole %v: logarithmic is %v", parts, got)
		}
	}
}

// Ours is the one series in its colour, drawn last, and its mark is no other's.
func TestOursStandsOut(t *testing.T) {
	svg := plot.SVG(workers(), plot.Wide, "l")
	area := svg[strings.Index(svg, "<g clip-path"):]
	lines := area[:strings.Index(area, `class="trend"`)] // the trend is over all of them
	lines = lines[:strings.LastIndex(lines, "<g")]
	if ours := strings.LastIndex(lines, `<g class="ours">`); ours < 0 || ours < strings.LastIndex(lines, `<g class="s`) {
		t.Error("ours is not on top")
	}
	if !strings.Contains(svg, `class="strong">Map</text>`) {
		t.Error("ours is not bold in the legend")
	}
}

// Both themes have enough contrast: 3 for what is drawn, 4.5 for letters (WCAG).
func TestContrast(t *testing.T) {
	light, dark, ok := strings.Cut(plot.Style, "@media screen and (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("there is no dark theme")
	}
	rule := regexp.MustCompile(`(?m)^\.plot ([^{]*)\{[^}]*?(?:color|fill|stroke): (#[0-9a-f]{6})`)
	for theme, css := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, m := range rule.FindAllStringSubmatch(css, -1) {
			for name := range strings.SplitSeq(m[1], ",") {
				name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), ".plot "), ".")
				if colours[name] == "" {
					colours[name] = m[2]
				}
			}
		}
		seen := map[string]string{}
		for name, least := range map[string]float64{
			"text": 4.5, "head": 4.5, "soft": 4.5, "strong": 4.5, "mark": 3, "ours": 3, "none": 3,
			"s0": 3, "s1": 3, "s2": 3, "s3": 3, "s4": 3, "s5": 3, "s6": 3,
		} {
			if colours[name] == "" {
				t.Errorf("%s: %s has no colour", theme, name)
				continue
			}
			if got := contrast(t, colours[name], colours["paper"]); got < least {
				t.Errorf("%s: %s has a contrast of %.2f, want %v", theme, name, got, least)
			}
			if regexp.MustCompile(`^(s\d|ours)$`).MatchString(name) {
				if other := seen[colours[name]]; other != "" {
					t.Errorf("%s: %s and %s have the same colour", theme, name, other)
				}
				seen[colours[name]] = name
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	light := func(c string) float64 {
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, err := strconv.ParseUint(c[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			v := float64(n) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += weight * v
		}
		return sum
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// text returns all text of a picture, a line for each element.
func text(t *testing.T, svg string) string {
	t.Helper()
	return check(t, "picture", svg)
}

var (
	numbers = regexp.MustCompile(`-?\d+(\.\d+)?`)
	noneIn  = regexp.MustCompile(`NaN|Inf|%!`)
	outside = regexp.MustCompile(`(?i)https?:|url\([^#]|href|@import|<script`)
)

// check returns the text of a picture, which must be well-formed, whole, within
// its edges, and need nothing from outside.
func check(t *testing.T, name, svg string) string {
	t.Helper()
	if m := noneIn.FindString(svg); m != "" {
		t.Errorf("%s: holds %s", name, m)
	}
	if m := outside.FindString(strings.Replace(svg, `xmlns="http://www.w3.org/2000/svg"`, "", 1)); m != "" {
		t.Errorf("%s: needs something from outside: %s", name, m)
	}
	var all strings.Builder
	ids := map[string]bool{}
	labels := ""
	var left, top, right, bottom float64
	stack := []string{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			stack = append(stack, e.Name.Local)
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			if id := at["id"]; id != "" {
				if ids[id] {
					t.Errorf("%s: %s is there twice", name, id)
				}
				ids[id] = true
			}
			if e.Name.Local == "svg" {
				labels = at["aria-labelledby"]
				var w, h float64
				fmt.Sscan(at["viewBox"], &left, &top, &w, &h)
				right, bottom = left+w, top+h
				if at["role"] != "img" || !(w > 0 && h > 0 && h < 5000) {
					t.Errorf("%s: the frame is %v", name, at)
				}
			}
			// What lines leave by is cut at the area.
			for _, key := range []string{"x", "y", "width", "height"} {
				v, err := strconv.ParseFloat(at[key], 64)
				if at[key] != "" && e.Name.Local != "svg" && (err != nil || v < min(left, top) || v > max(right-left, bottom-top)) {
					t.Errorf("%s: %s of %v is %s", name, key, e.Name.Local, at[key])
				}
			}
			for _, n := range numbers.FindAllString(at["d"], -1) {
				if v, err := strconv.ParseFloat(n, 64); err != nil || math.Abs(v) > 2*max(right, bottom) {
					t.Errorf("%s: a path goes to %s", name, n)
				}
			}
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if s := strings.TrimSpace(string(e)); s != "" && stack[len(stack)-1] != "style" {
				all.WriteString(s + "\n")
			}
		}
	}
	for id := range strings.FieldsSeq(labels) {
		if !ids[id] {
			t.Errorf("%s: there is no %s", name, id)
		}
	}
	if labels == "" || !ids[strings.Fields(labels)[0]] {
		t.Errorf("%s: no title or description", name)
	}
	return all.String()
}
