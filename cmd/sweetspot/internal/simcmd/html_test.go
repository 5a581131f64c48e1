package simcmd_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/simcmd"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

// A page is what a test wants to know of one: it is read as a browser reads
// it that runs no script.
type page struct {
	ids      map[string]bool
	links    []string
	tables   [][][]string // rows of cells
	captions []string     // of the figures
	traces   []string     // what the lines of the pictures say they are
	script   string
}

// parsePage reads a page strictly: a tag that is not closed fails the test.
func parsePage(t *testing.T, text string) page {
	t.Helper()
	p := page{ids: map[string]bool{}}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Entity = xml.HTMLEntity
	d.AutoClose = []string{"meta", "br", "wbr"}
	d.Strict = false
	var open []string
	var cell, caption, title, script strings.Builder
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page does not parse: %v", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			at := map[string]string{}
			for _, a := range x.Attr {
				at[a.Name.Local] = a.Value
			}
			if at["id"] != "" {
				if p.ids[at["id"]] {
					t.Errorf("id %q is there twice", at["id"])
				}
				p.ids[at["id"]] = true
			}
			for _, name := range []string{"href", "src"} {
				if at[name] != "" {
					p.links = append(p.links, at[name])
				}
			}
			switch x.Name.Local {
			case "meta", "br", "wbr":
				continue
			case "table":
				p.tables = append(p.tables, nil)
			case "tr":
				last := len(p.tables) - 1
				p.tables[last] = append(p.tables[last], nil)
			case "td", "th":
				cell.Reset()
			case "figcaption":
				caption.Reset()
			case "title":
				title.Reset()
			}
			open = append(open, x.Name.Local)
		case xml.EndElement:
			name := x.Name.Local
			if name == "meta" || name == "br" || name == "wbr" {
				continue
			}
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
			switch name {
			case "td", "th":
				rows := p.tables[len(p.tables)-1]
				rows[len(rows)-1] = append(rows[len(rows)-1], strings.TrimSpace(cell.String()))
			case "figcaption":
				p.captions = append(p.captions, caption.String())
			case "title":
				if open[len(open)-1] == "path" {
					p.traces = append(p.traces, title.String())
				}
			}
		case xml.CharData:
			cell.Write(x)
			caption.Write(x)
			title.Write(x)
			if len(open) > 0 && open[len(open)-1] == "script" {
				script.Write(x)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("never closed: %v", open)
	}
	p.script = script.String()
	return p
}

// count returns how many lines of pictures say that they are that.
func (p *page) count(trace string) (n int) {
	for _, t := range p.traces {
		if t == trace {
			n++
		}
	}
	return n
}

// selfContained fails the test if the page refers to anything but itself.
func selfContained(t *testing.T, text string, p page) {
	t.Helper()
	text = strings.ReplaceAll(withoutComments(text), `xmlns="http://www.w3.org/2000/svg"`, "")
	if m := regexp.MustCompile(`(?i)https?:|//[a-z]|@import|url\([^#]|<(link|img|iframe|object|embed)\b`).FindString(text); m != "" {
		t.Errorf("the page refers to something: %s", m)
	}
	for _, l := range p.links {
		if id, ok := strings.CutPrefix(l, "#"); !ok || !p.ids[id] {
			t.Errorf("the link %q leads nowhere", l)
		}
	}
}

// withoutComments drops the script's lines of comment, for "// A" is no
// address.
func withoutComments(text string) string {
	return regexp.MustCompile(`(?m)^\s*//.*$`).ReplaceAllString(text, "")
}

func readPage(t *testing.T, args ...string) (string, page) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "r.html")
	mustRun(t, append(args, "--html", file)...)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := parsePage(t, string(b))
	selfContained(t, string(b), p)
	return string(b), p
}

func TestHTML(t *testing.T) {
	rerun.Skip(t)
	text, p := readPage(t, "--file", "-", "--controller", "fixed:7,fixed,step", "--seeds", "2-4")
	for _, want := range []string{"Seeds 2–4", "wait exp(5ms) — from 2 s, wait exp(50ms)", "prefers-color-scheme: dark", "@media print", "width=device-width"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	names := []string{"fixed(7)", "fixed(P)", "step"}
	if len(p.tables) != 2 {
		t.Fatalf("%d tables, want the scores and all figures", len(p.tables))
	}
	scores, figures := p.tables[0], p.tables[1]
	if got := strings.Join(scores[0], " "); got != "scenario "+strings.Join(names, " ") {
		t.Errorf("the heads of the scores are %q", got)
	}
	if len(scores) != 1+2+3 || len(figures) != 1+2*3 || len(p.captions) != 2*3 || p.count("limit: limit") != 2*3 || p.count("N*: limit") != 2*3 || p.count("X(limit)/X(N*): X/X*") != 2*3 {
		t.Errorf("%d rows of scores, %d of figures, %d captions, traces %q", len(scores), len(figures), len(p.captions), p.traces)
	}
	for i, scenario := range []string{"quick", "stepped"} {
		if !p.ids[scenario] {
			t.Errorf("no part for %s", scenario)
		}
		for j, name := range names {
			row := figures[1+3*i+j]
			if row[0] != scenario || row[1] != name || len(row) != 10 {
				t.Errorf("row %d is %q, want %s by %s", 1+3*i+j, row, scenario, name)
			}
			if score := scores[1+i][1+j]; row[2] != score || !strings.Contains(p.captions[3*i+j], name+" "+score) {
				t.Errorf("%s by %s: scores %s and %s, caption %q", scenario, name, score, row[2], p.captions[3*i+j])
			}
		}
	}
	if strings.Contains(p.script, "fetch(") || !strings.Contains(p.script, "aria-sort") {
		t.Error("the script does something else than to sort")
	}
}

// TestHTMLHasEveryScenarioAndLaw runs all built-in scenarios, and no more laws
// than it takes to see that each of them has its place.
func TestHTMLHasEveryScenarioAndLaw(t *testing.T) {
	rerun.Serial(t)
	if testing.Short() {
		t.Skip("simulates all scenarios")
	}
	text, p := readPage(t, "--controller", "fixed:2,fixed:3", "--seeds", "1")
	for _, s := range sim.Scenarios() {
		if !p.ids[s.Name] {
			t.Errorf("no part for %s", s.Name)
		}
	}
	if n := len(sim.Scenarios()); len(p.captions) != 2*n || len(p.tables[1]) != 1+2*n {
		t.Errorf("%d pictures and %d rows of %d scenarios by two laws", len(p.captions), len(p.tables[1]), n)
	}
	// 12 laws have six times as many pictures.
	if most := 5 << 20 / 6; len(text) > most {
		t.Errorf("the page has %d bytes, want at most %d", len(text), most)
	}
}

// Seeds are a range only if none between the first and the last is missing.
func TestHTMLNamesSeeds(t *testing.T) {
	for seeds, want := range map[string]string{"2-4": "Seeds 2–4:", "1,9,3": "Seeds 1, 9, 3:"} {
		text, _ := readPage(t, "--scenario", "cpu2", "--controller", "fixed:2", "--seeds", seeds)
		if !strings.Contains(text, want) {
			t.Errorf("--seeds %s: no %q in the page", seeds, want)
		}
	}
}

// TestHTMLEscapesNames gives a scenario a name that is markup.
func TestHTMLEscapesNames(t *testing.T) {
	text, err := simcmd.PageOf("scenario <b>&\"\ncpus 2\nseconds 1\ncpu exp(1ms)\n", "fixed")
	if err != nil {
		t.Fatal(err)
	}
	if p := parsePage(t, text); !p.ids[`<b>&"`] || p.tables[1][1][0] != `<b>&"` {
		t.Errorf("ids %v, row %q", p.ids, p.tables[1][1])
	}
}

func ExampleCommand_html() {
	file := filepath.Join(os.TempDir(), "sweetspot-example.html")
	defer os.Remove(file)
	c := simcmd.Command()
	c.SetArgs([]string{"--scenario", "smt16", "--controller", "fixed", "--seeds", "1", "--html", file})
	c.SetOut(io.Discard)
	if err := c.Execute(); err != nil {
		fmt.Println(err)
		return
	}
	b, err := os.ReadFile(file)
	fmt.Println(strings.Contains(string(b), "smt16"), err)
	// Output:
	// true <nil>
}
