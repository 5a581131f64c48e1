package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// passed is that the page has: on how many CPUs makes no difference to it.
var passed bool

// drawn is how many pixels of the plot i have about the colour of a variable of
// the style sheet: what is drawn, not what the code means to draw.
const drawn = `
window.drawn = (i, name) => {
	const canvas = document.querySelectorAll("#plots canvas")[i];
	if (!canvas || !canvas.width || !canvas.height) return 0;
	const want = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
	const [r, g, b] = [1, 3, 5].map(k => parseInt(want.slice(k, k + 2), 16));
	// A copy, as Chromium warns of looking at a canvas that it keeps elsewhere.
	const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
	copy.drawImage(canvas, 0, 0);
	const p = copy.getImageData(0, 0, canvas.width, canvas.height).data;
	let n = 0;
	for (let k = 0; k < p.length; k += 4) {
		if (p[k + 3] > 200 && Math.abs(p[k] - r) + Math.abs(p[k + 1] - g) + Math.abs(p[k + 2] - b) < 24) n++;
	}
	return n;
};
true`

func TestPage(t *testing.T) {
	if passed {
		t.Skip("it has passed on another number of CPUs")
	}
	p := newProgram(t)
	tb := open(t)
	tb.do(chromedp.EmulateViewport(1200, 900), chromedp.Navigate(p.url()))
	ask[bool](tb, drawn)

	steps := []struct {
		name string
		test func(*testing.T, *program, *tab)
	}{
		{"draws", draws}, {"moves", moves}, {"is quiet", quiet}, {"obeys", obeys}, {"refuses", refuses}, {"says why", saysWhy},
		{"needs no mouse", needsNoMouse}, {"needs no eyes", needsNoEyes}, {"is dark at night", dark}, {"fits a phone", fitsPhone},
		{"comes back", comesBack}, {"comes back to what it showed", comesBackToWhatItShowed},
	}
	for _, s := range steps {
		if !t.Run(s.name, func(t *testing.T) {
			tb.t, p.t = t, t
			s.test(t, p, tb)
		}) {
			return
		}
	}
	tb.t, p.t = t, t
	passed = true
}

func draws(t *testing.T, _ *program, tb *tab) {
	tb.until(`document.getElementById("link").textContent === "live"`)
	tb.until(`document.querySelectorAll("#plots canvas").length === 4`)
	for _, c := range []struct {
		plot int
		role string
	}{{0, "first"}, {0, "second"}, {1, "first"}, {2, "first"}, {3, "first"}, {3, "second"}, {3, "third"}} {
		tb.until(fmt.Sprintf(`drawn(%d, %q) > 8`, c.plot, c.role))
	}
	if got := ask[string](tb, `document.getElementById("name").textContent`); got != "fetch" {
		t.Errorf("the first Limiter is %q", got)
	}
	if got := ask[[]string](tb, `[...document.querySelectorAll("#limiters th")].map(e => e.textContent)`); !slices.Equal(got, []string{"fetch", "rest"}) {
		t.Errorf("Limiters %q", got)
	}
}

func moves(_ *testing.T, _ *program, tb *tab) {
	const newest = `document.querySelectorAll("#plots figure")[2].querySelector("tbody th")?.textContent`
	const rows = `document.querySelectorAll("#plots figure")[2].querySelectorAll("tbody tr").length`
	tb.press("#table-2", kb.Enter)
	tb.until(rows + " >= 2")
	was, n := ask[string](tb, newest), ask[int](tb, rows)
	tb.until(fmt.Sprintf("%s !== %q && %s > %d", newest, was, rows, n))
	tb.until(`Number(document.querySelectorAll("#plots figure")[2].querySelector("tbody td").textContent.replace(",", "")) > 0`)
	tb.press("#table-2", kb.Enter)
	tb.until(`!document.querySelectorAll("#plots details")[2].open`)
}

func quiet(t *testing.T, _ *program, tb *tab) {
	if c := tb.complaints(); len(c) > 0 {
		t.Errorf("the console: %q", c)
	}
}

func obeys(t *testing.T, p *program, tb *tab) {
	tb.do(chromedp.SetValue(chromedp.ID("number"), "3"), chromedp.Click(chromedp.ID("set")))
	tb.until(`document.getElementById("answer").textContent === "Set to 3."`)
	if s := p.fetch.Stats(); s.Limit != 3 || !s.Manual {
		t.Errorf("after Set: limit %d, manual %t", s.Limit, s.Manual)
	}
	tb.until(`document.querySelector("#limiters tr").textContent.includes("manual") && document.getElementById("freeze").disabled`)
	tb.do(chromedp.Click(chromedp.ID("auto")))
	tb.until(`document.getElementById("answer").textContent.startsWith("The law decides again")`)
	if p.fetch.Stats().Manual {
		t.Error("after Automatic: manual")
	}
	tb.until(`document.querySelector("#limiters tr").textContent.includes("law") && document.getElementById("auto").disabled`)
	tb.do(chromedp.Click(chromedp.ID("freeze")))
	tb.until(`document.getElementById("answer").textContent.startsWith("Set to")`)
	if s := p.fetch.Stats(); !s.Manual {
		t.Error("after Freeze: not manual")
	}
	// Enter in the field does as Set does.
	tb.do(chromedp.SetValue(chromedp.ID("number"), "5"))
	tb.press("#number", kb.Enter)
	tb.until(`document.getElementById("answer").textContent === "Set to 5."`)
	if p.rest.Limit() != 2 {
		t.Errorf("the other Limiter is at %d", p.rest.Limit())
	}
}

func refuses(t *testing.T, p *program, tb *tab) {
	tb.do(chromedp.SetValue(chromedp.ID("number"), "99999999999"), chromedp.Click(chromedp.ID("set")))
	tb.until(`document.getElementById("answer").className === "bad" && document.getElementById("answer").textContent.startsWith("sweetspot: ")`)
	if p.fetch.Limit() != 5 {
		t.Errorf("limit %d", p.fetch.Limit())
	}
	tb.do(chromedp.SetValue(chromedp.ID("number"), "5"), chromedp.Click(chromedp.ID("set")))
	tb.until(`document.getElementById("answer").textContent === "Set to 5."`)
}

func saysWhy(_ *testing.T, _ *program, tb *tab) {
	tb.until(`[...document.querySelectorAll("#changes tr")].some(r => r.textContent.includes("→ 3") && r.textContent.includes("set manually"))`)
	tb.until(`document.getElementById("why").textContent.startsWith("Set manually at 5.")`)
}

func needsNoMouse(t *testing.T, _ *program, tb *tab) {
	tb.press("#limiters tr:nth-child(2) button", kb.Enter)
	tb.until(`document.getElementById("name").textContent === "rest" && location.hash === "#rest"`)
	tb.until(`document.querySelector("#limiters tr:nth-child(2) button").getAttribute("aria-current") === "true"`)
	tb.press("#limiters tr:nth-child(1) button", kb.Enter)
	tb.until(`document.getElementById("name").textContent === "fetch"`)
	tb.press(`#range input[value="600"]`, kb.ArrowRight)
	tb.until(`document.querySelector('#range input[value="3600"]').checked`)

	// All that can be used is reached by Tab, and is seen to be.
	tb.do(chromedp.Focus(chromedp.CSS("#limiters tr:nth-child(1) button")))
	reached := map[string]bool{}
	for range 40 {
		reached[ask[string](tb, `document.activeElement.id || document.activeElement.value || document.activeElement.tagName`)] = true
		if ask[bool](tb, `document.activeElement !== document.body && getComputedStyle(document.activeElement).outlineStyle === "none"`) {
			t.Errorf("no ring around %s", ask[string](tb, `document.activeElement.outerHTML`))
		}
		tb.do(chromedp.KeyEvent(kb.Tab))
	}
	for _, id := range []string{"number", "set", "auto", "3600", "table-0", "table-1", "table-2", "table-3", "history"} {
		if !reached[id] {
			t.Errorf("Tab does not reach %s, only %v", id, reached)
		}
	}
}

func needsNoEyes(t *testing.T, _ *program, tb *tab) {
	tb.until(`[...document.querySelectorAll(".plot")].every(e => e.getAttribute("aria-label"))`)
	tb.press("#table-0", kb.Enter)
	tb.until(`document.querySelectorAll("#plots figure")[0].querySelectorAll("tbody tr").length > 1`)
	parts := tb.parts()
	has := func(role, name string) bool {
		return slices.ContainsFunc(parts, func(p part) bool { return p.role == role && strings.HasPrefix(p.name, name) })
	}
	for _, want := range []part{
		{"image", "Limit over time, now: limit 5, in flight"}, {"image", "Waiting over time"}, {"image", "Throughput over time"},
		{"image", "CPU usage over time"}, {"figure", "CPU usage"}, {"region", "Limit: table"}, {"region", "Limiters"}, {"region", "Decisions"},
		{"columnheader", "in flight"}, {"rowheader", ""}, {"spinbutton", "Limit"}, {"button", "Set"}, {"button", "Freeze"},
		{"button", "Automatic"}, {"group", "Time shown"}, {"radio", "10 min"}, {"heading", "Limiters"}, {"status", ""},
	} {
		if !has(want.role, want.name) {
			t.Errorf("there is no %s %q", want.role, want.name)
		}
	}
	for _, p := range parts {
		if p.name == "" && slices.Contains([]string{"button", "link", "radio", "spinbutton", "image", "figure", "region", "columnheader"}, p.role) {
			t.Errorf("a %s has no name", p.role)
		}
	}
	if t.Failed() {
		t.Logf("%q", parts)
	}
	tb.press("#table-0", kb.Enter)
}

func dark(t *testing.T, _ *program, tb *tab) {
	const light = `getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 3`
	if l := ask[float64](tb, light); l < 200 {
		t.Errorf("by day the background is %v of 255", l)
	}
	day := ask[string](tb, `getComputedStyle(document.documentElement).getPropertyValue("--first")`)
	tb.scheme("dark")
	tb.until(light + " < 50")
	tb.until(`drawn(0, "first") > 8 && drawn(2, "first") > 8`)
	if night := ask[string](tb, `getComputedStyle(document.documentElement).getPropertyValue("--first")`); night == day {
		t.Errorf("the plots have the colour %s by day and by night", day)
	}
	tb.scheme("light")
	tb.until(light + ` > 200 && drawn(0, "first") > 8`)
}

func fitsPhone(t *testing.T, _ *program, tb *tab) {
	tb.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch))
	tb.until(`innerWidth === 360 && [...document.querySelectorAll("#plots canvas")].every(c => c.getBoundingClientRect().right <= 360)`)
	if w := ask[int](tb, `document.documentElement.scrollWidth`); w > 360 {
		t.Errorf("the page is %d wide on a phone of 360", w)
	}
	tb.until(`drawn(0, "first") > 8 && drawn(3, "first") > 8`)
	small := ask[[]string](tb, `[...document.querySelectorAll("button, input[type=number]")]
		.filter(e => e.offsetParent && (e.getBoundingClientRect().height < 24 || e.getBoundingClientRect().width < 24)).map(e => e.outerHTML)`)
	if len(small) > 0 {
		t.Errorf("too small for a finger: %q", small)
	}
	tb.do(chromedp.EmulateViewport(1200, 900))
	tb.until(`innerWidth === 1200 && document.querySelector("#plots canvas").getBoundingClientRect().width > 400`)
}

// comesBack lets the program go away and return without its history.
func comesBack(t *testing.T, p *program, tb *tab) {
	if c := tb.complaints("status of 400"); len(c) > 0 { // what refuses provoked
		t.Errorf("the console: %q", c)
	}
	p.stop()
	tb.until(`document.getElementById("link").textContent.startsWith("connection lost")`)
	p.start()
	tb.until(`document.getElementById("link").textContent === "live"`)
	tb.until(`document.getElementById("name").textContent === "fetch" && drawn(0, "first") > 8`)
	clock := ask[string](tb, `document.getElementById("clock").textContent`)
	tb.until(fmt.Sprintf(`document.getElementById("clock").textContent !== %q`, clock))
	tb.do(chromedp.SetValue(chromedp.ID("number"), "6"), chromedp.Click(chromedp.ID("set")))
	tb.until(`document.getElementById("answer").textContent === "Set to 6."`)
	tb.until(`document.querySelector("#changes tr").textContent.includes("5 → 6")`)
	if c := tb.complaints("status of 400", "net::ERR_"); len(c) > 0 { // what the absence provoked
		t.Errorf("the console: %q", c)
	}
}

// comesBackToWhatItShowed opens the page without a Limiter in its address, and lets the
// program return with another one as its first.
func comesBackToWhatItShowed(t *testing.T, p *program, tb *tab) {
	tb.do(chromedp.Navigate(p.url()))
	tb.until(`document.getElementById("link").textContent === "live" && document.getElementById("name").textContent === "fetch"`)
	p.stop()
	tb.until(`document.getElementById("link").textContent.startsWith("connection lost")`)
	p.first = "rest"
	p.start()
	tb.until(`document.getElementById("link").textContent === "live"`)
	tb.do(chromedp.SetValue(chromedp.ID("number"), "7"), chromedp.Click(chromedp.ID("set")))
	tb.until(`document.getElementById("answer").textContent === "Set to 7."`)
	if got := p.fetch.Limit(); got != 7 {
		t.Errorf("limit %d", got)
	}
	tb.until(`document.querySelector("#changes tr").textContent.includes("6 → 7")`)
	if got := ask[string](tb, `document.getElementById("name").textContent`); got != "fetch" {
		t.Errorf("it shows %q", got)
	}
}
