package lab_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// Each figure of an article is of a point that is measured at full size, in its unit.
func TestPublishedFiguresAreOfPoints(t *testing.T) {
	count := 0
	for _, id := range lab.IDs() {
		points := map[string][2]any{}
		for _, p := range lab.LabelsOf(id, full) {
			points[p.Label] = [2]any{p.Unit, p.Aside}
		}
		for _, p := range lab.Published(id) {
			count++
			of, ok := points[p.Label]
			place := p.Y == 0 && p.X > 0 // has the unit of the place
			if !ok || !place && (of[0] != p.Unit || of[1] != p.Aside) {
				t.Errorf("%s: %+v: the point has %v", id, p, of)
			}
			if p.Text == "" || p.Y == 0 && p.X == 0 && p.Slope == 0 {
				t.Errorf("%s: %+v is no figure", id, p)
			}
		}
	}
	if count < 40 {
		t.Errorf("there are %d figures of the articles, want 40 or more", count)
	}
}

// The page has a text for each experiment, with the numbers that the code has.
func TestTextsAreOfTheExperiments(t *testing.T) {
	linked := map[string]bool{}
	for _, id := range lab.IDs() {
		title, about, claim, article, link := lab.TextOf(id)
		if title == "" || about == "" || claim == "" || article == "" {
			t.Errorf("%s: %q, %q, %q, %q: a text is missing", id, title, about, claim, article)
		}
		for _, n := range lab.NumbersSaid()[id] {
			if !slices.Contains(strings.FieldsFunc(about, func(c rune) bool { return strings.ContainsRune(" ,;:()", c) }), fmt.Sprint(n)) {
				t.Errorf("%s: the text does not name %v: %s", id, n, about)
			}
		}
		if u, err := url.Parse(link); err != nil || link != "" && u.Scheme != "https" {
			t.Errorf("%s: %s, %v", id, link, err)
		}
		linked[link] = true
	}
	if len(linked) != 4 {
		t.Errorf("%v: want the links of three articles", linked)
	}
}

// Times of a whole run are scaled to the work done here.
func TestPublishedFiguresAreOfTheWorkDone(t *testing.T) {
	of := func(ps []figures.Published) float64 { return ps[0].Y }
	if whole, part := of(lab.PublishedOf("A4", 30_000)), of(lab.PublishedOf("A4", 300)); whole != 21_429 || !lab.Same(part, 214.29) {
		t.Errorf("%g and %g ms, want 21429 and 214.29", whole, part)
	}
}
