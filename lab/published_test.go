package lab_test

import (
	"net/url"
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
	for article, link := range lab.ArticleLinks() {
		if u, err := url.Parse(link); err != nil || u.Scheme != "https" {
			t.Errorf("%s: %s, %v", article, link, err)
		}
	}
}

// Times of a whole run are scaled to the work done here.
func TestPublishedFiguresAreOfTheWorkDone(t *testing.T) {
	of := func(ps []figures.Published) float64 { return ps[0].Y }
	if whole, part := of(lab.PublishedOf("A4", 30_000)), of(lab.PublishedOf("A4", 300)); whole != 21_429 || !lab.Same(part, 214.29) {
		t.Errorf("%g and %g ms, want 21429 and 214.29", whole, part)
	}
}
