package simcmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestHTML(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.html")
	mustRun(t, "--file", "-", "--controller", "fixed:7,fixed", "--seeds", "2-4", "--html", file)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	html := string(b)
	if m := regexp.MustCompile(`(?i)<(script|link|img|iframe)[^>]*(src|href)=|@import|url\(`).FindString(html); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
	for _, want := range []string{"Permission is hereby granted", "var uPlot=", ".uplot", "Seeds 2–4", `id="stepped"`, "wait exp(5ms) — from 2 s, wait exp(50ms)", "fixed(P)"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	m := regexp.MustCompile(`const sweetspot = (\{.*\});`).FindStringSubmatch(html)
	if m == nil {
		t.Fatal("no data in the page")
	}
	var data struct {
		Controllers []string
		Plots       []struct {
			At, NStar, Best []float64
			Limit, X        [][]float64
		}
	}
	if err := json.Unmarshal([]byte(m[1]), &data); err != nil {
		t.Fatal(err)
	}
	p := data.Plots[1]
	if len(data.Controllers) != 2 || len(data.Plots) != 2 || len(p.At) != 60 || len(p.NStar) != 60 || len(p.Best) != 60 || len(p.Limit[1]) != 60 || len(p.X[1]) != 60 {
		t.Errorf("controllers %v, %d plots, %d points", data.Controllers, len(data.Plots), len(p.At))
	}
	if p.Limit[0][30] != 7 || p.Limit[1][30] != 2 || p.NStar[59] <= p.NStar[0] {
		t.Errorf("limits %v and %v, N* from %v to %v", p.Limit[0][30], p.Limit[1][30], p.NStar[0], p.NStar[59])
	}
}
