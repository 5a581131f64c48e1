package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// patience is for what takes a moment at most; it ends a test that would hang.
const patience = 60 * time.Second

// A tab is a page in a browser of its own.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	messages []string // of the console: errors, and what the browser complains of
}

// browser returns the path of a Chromium or Chrome, by the names that make deps
// looks for.
func browser() (path string, err error) {
	for _, name := range []string{os.Getenv("SWEETSPOT_BROWSER"), "chromium", "chromium-browser", "google-chrome",
		"google-chrome-stable", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium or Chrome is installed: make deps installs one; SWEETSPOT_BROWSER is the path of another")
}

// open starts a browser without a window.
func open(t *testing.T) *tab {
	t.Helper()
	path, err := browser()
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	opts := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // it needs what containers lack, and this page is ours
	)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	tb := &tab{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	console := chromedp.Console(ctx)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for m, err := range console {
			if err != nil {
				return
			}
			if m.Type != chromedp.ConsoleLog && m.Type != chromedp.ConsoleInfo && m.Type != chromedp.ConsoleDebug {
				tb.mu.Lock()
				tb.messages = append(tb.messages, fmt.Sprintf("%s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line))
				tb.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits for the browser to end
			t.Log(err)
		}
		<-read
	})
	return tb
}

// complaints returns the messages so far, but those that have a part of them.
func (tb *tab) complaints(but ...string) []string {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(tb.messages), func(m string) bool {
		return slices.ContainsFunc(but, func(part string) bool { return strings.Contains(m, part) })
	})
}

func (tb *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		tb.t.Fatal(err)
	}
}

// ask returns the value of an expression.
func ask[T any](tb *tab, expression string) T {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		tb.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression is true.
func (tb *tab) until(expression string) {
	tb.t.Helper()
	for deadline := time.Now().Add(patience); !ask[bool](tb, "Boolean("+expression+")"); {
		if time.Now().After(deadline) {
			tb.t.Fatalf("after %v it does not hold: %s\nthe page: %s\nthe console: %q", patience, expression, ask[string](tb, "document.body.innerText"), tb.complaints())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// press focuses an element and presses a key on it, as one does without a mouse.
func (tb *tab) press(selector, key string) {
	tb.t.Helper()
	tb.do(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(key))
}

func (tb *tab) scheme(value string) {
	tb.t.Helper()
	_, err := chromedp.Call(tb.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
	if err != nil {
		tb.t.Fatal(err)
	}
}

// A part is what those who do not see have of an element.
type part struct{ role, name string }

func (tb *tab) parts() []part {
	tb.t.Helper()
	r, err := chromedp.Call(tb.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		tb.t.Fatal(err)
	}
	word := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal([]byte(v.Value), &s) // what is not a word is none
		}
		return s
	}
	var list []part
	for _, n := range r.Nodes {
		if !n.Ignored {
			list = append(list, part{word(n.Role), word(n.Name)})
		}
	}
	return list
}
