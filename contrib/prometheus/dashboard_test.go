package promsweetspot_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sweetspot-go/sweetspot"
	promsweetspot "github.com/sweetspot-go/sweetspot/contrib/prometheus"
)

// A dashboard is what the test wants to know of Grafana's file.
type dashboard struct {
	Title, UID    string
	SchemaVersion int
	Templating    struct {
		List []struct {
			Name, Type, Definition string
		}
	}
	Panels []struct {
		ID                       int
		Title, Type, Description string
		GridPos                  struct{ X, Y, W, H int }
		Targets                  []struct{ Expr, LegendFormat, RefID string }
	}
}

var (
	reMetric  = regexp.MustCompile(`\bsweetspot_\w+`)
	reBraces  = regexp.MustCompile(`(\w+)\{([^}]*)\}`)
	reMatcher = regexp.MustCompile(`(\w+)\s*(?:=~|!=|!~|=)\s*"([^"]*)"`)
	reBy      = regexp.MustCompile(`by \(([^)]*)\)`)
	reLegend  = regexp.MustCompile(`\{\{(\w+)\}\}`)
	reVar     = regexp.MustCompile(`\$(\w+)`)
)

// exported returns the labels, with their values, of each series that a scrape has.
func exported(t *testing.T) map[string]map[string][]string {
	t.Helper()
	l := sweetspot.New(sweetspot.Name("dashboard"))
	registry := prometheus.NewRegistry()
	registry.MustRegister(promsweetspot.NewCollector())
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Limit() // lives until here
	all := make(map[string]map[string][]string)
	for _, f := range families {
		names := []string{f.GetName()}
		if f.GetMetric()[0].GetHistogram() != nil {
			names = []string{f.GetName() + "_bucket", f.GetName() + "_count", f.GetName() + "_sum"}
		}
		for _, name := range names {
			labels := make(map[string][]string)
			for _, m := range f.GetMetric() {
				for _, p := range m.GetLabel() {
					labels[p.GetName()] = append(labels[p.GetName()], p.GetValue())
				}
			}
			if strings.HasSuffix(name, "_bucket") {
				labels["le"] = nil
			}
			all[name] = labels
		}
	}
	return all
}

// TestDashboard: Grafana's file asks only for series, labels and values that there
// are, and for every metric.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../grafana/sweetspot.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&d); err != nil {
		t.Fatal(err)
	}
	if dec.More() {
		t.Error("there is more after the dashboard")
	}
	if d.Title == "" || d.UID == "" || d.SchemaVersion == 0 || len(d.Panels) == 0 {
		t.Errorf("title %q, uid %q, schema %d, %d panels", d.Title, d.UID, d.SchemaVersion, len(d.Panels))
	}
	series := exported(t)
	variables := []string{"__rate_interval"}
	asked := make(map[string]bool)
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
		for _, name := range reMetric.FindAllString(v.Definition, -1) {
			if series[name] == nil {
				t.Errorf("variable %s asks for %s, which is not exported", v.Name, name)
			}
		}
	}
	ids := make(map[int]bool)
	type cell struct{ x, y int }
	taken := make(map[cell]string)
	for _, p := range d.Panels {
		if ids[p.ID] || p.Title == "" || p.Type == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d %q: want an id of its own, a title, a type, a description and a target", p.ID, p.Title)
		}
		ids[p.ID] = true
		g := p.GridPos
		if g.W < 1 || g.H < 1 || g.X < 0 || g.X+g.W > 24 {
			t.Errorf("panel %q lies outside of the 24 columns", p.Title)
		}
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := taken[cell{x, y}]; other != "" {
					t.Fatalf("panels %q and %q overlap", other, p.Title)
				}
				taken[cell{x, y}] = p.Title
			}
		}
		var refs []string
		for _, q := range p.Targets {
			if slices.Contains(refs, q.RefID) {
				t.Errorf("panel %q has two targets %q", p.Title, q.RefID)
			}
			refs = append(refs, q.RefID)
			checkQuery(t, p.Title, q.Expr, q.LegendFormat, series, variables, asked)
		}
	}
	for name := range series {
		if !asked[name] && !strings.HasSuffix(name, "_sum") {
			t.Errorf("no panel shows %s", name)
		}
	}
}

func checkQuery(t *testing.T, panel, expr, legend string, series map[string]map[string][]string, variables []string, asked map[string]bool) {
	t.Helper()
	if strings.Count(expr, "(") != strings.Count(expr, ")") || strings.Count(expr, "[") != strings.Count(expr, "]") {
		t.Errorf("panel %q: parentheses in %s", panel, expr)
	}
	metrics := reMetric.FindAllString(expr, -1)
	if len(metrics) == 0 {
		t.Errorf("panel %q asks for none of our metrics: %s", panel, expr)
		return
	}
	for _, name := range metrics {
		asked[name] = true
		if series[name] == nil {
			t.Errorf("panel %q asks for %s, which is not exported", panel, name)
		}
	}
	for _, m := range reBraces.FindAllStringSubmatch(expr, -1) {
		for _, l := range reMatcher.FindAllStringSubmatch(m[2], -1) {
			values, ok := series[m[1]][l[1]]
			if !ok {
				t.Errorf("panel %q: %s has no label %s", panel, m[1], l[1])
			} else if !strings.Contains(l[2], "$") && !slices.Contains(values, l[2]) {
				t.Errorf("panel %q: label %s of %s is never %q", panel, l[1], m[1], l[2])
			}
		}
	}
	by := make(map[string]bool)
	for _, m := range reBy.FindAllStringSubmatch(expr, -1) {
		for _, label := range strings.Split(m[1], ", ") {
			by[label] = true
			if _, ok := series[metrics[0]][label]; !ok {
				t.Errorf("panel %q: %s has no label %s", panel, metrics[0], label)
			}
		}
	}
	for _, m := range reLegend.FindAllStringSubmatch(legend, -1) {
		if !by[m[1]] {
			t.Errorf("panel %q: the legend names %s, by which is not summed", panel, m[1])
		}
	}
	for _, m := range reVar.FindAllStringSubmatch(expr, -1) {
		if !slices.Contains(variables, m[1]) {
			t.Errorf("panel %q: there is no variable $%s", panel, m[1])
		}
	}
}
