package browser_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestLabReport opens the report of the lab as a reader does: in a window, at night and on
// a phone.
func TestLabReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lab.html")
	c := exec.Command("go", "run", ".", "lab", "report", "../../lab/internal/report/testdata/figures.json", "--html", file)
	c.Dir = "../../cmd/sweetspot"
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tb := open(t)
	tb.do(chromedp.EmulateViewport(1200, 900), chromedp.Navigate("file://"+file))
	tb.until(`document.readyState === "complete"`)
	const (
		light = `getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 3`
		ink   = `getComputedStyle(document.body).color.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 3`
		// shown are the plots that are not hidden, each within the window.
		shown   = `[...document.querySelectorAll("svg.plot")].filter(p => p.getBoundingClientRect().width > 0)`
		outside = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll")).map(e => e.outerHTML.slice(0, 120))`
	)
	for _, size := range []struct{ width, height int64 }{{1200, 900}, {360, 740}} {
		tb.do(chromedp.EmulateViewport(size.width, size.height))
		tb.until(`innerWidth === document.documentElement.clientWidth || innerWidth > 0`)
		if n := ask[int](tb, shown+".length"); n < 8 {
			t.Errorf("%d plots are shown in a window of %d, want 8 or more", n, size.width)
		}
		if out := ask[[]string](tb, outside); len(out) > 0 {
			t.Errorf("in a window of %d stands outside: %q", size.width, out)
		}
	}
	for _, c := range []struct {
		scheme string
		day    bool
	}{{"light", true}, {"dark", false}} {
		tb.scheme(c.scheme)
		paper, text := ask[float64](tb, light), ask[float64](tb, ink)
		if (paper > text) != c.day || max(paper, text)-min(paper, text) < 120 {
			t.Errorf("%s: the paper is %v of 255, and the ink %v", c.scheme, paper, text)
		}
	}
	for what, expression := range map[string]string{
		"a link to the article":      `document.querySelector("#A6 a[href^='https:']")`,
		"the article's figures":      `document.querySelector("#A6 .then").innerText.includes("at the CPU count of the article")`,
		"them in the plot":           `[...document.querySelectorAll("#A6 svg text")].some(t => t.textContent === "in the article: Do")`,
		"the command":                `document.querySelector("#A6 code").innerText.startsWith("sweetspot lab run A6 ")`,
		"a verdict in each section":  `[...document.querySelectorAll("section.experiment")].every(s => s.querySelector(".badge"))`,
		"a table under each picture": `document.querySelectorAll("details table").length > 5`,
	} {
		if !ask[bool](tb, "Boolean("+expression+")") {
			t.Errorf("the page lacks %s", what)
		}
	}
	if c := tb.complaints(); len(c) > 0 {
		t.Errorf("the console: %q", c)
	}
}
