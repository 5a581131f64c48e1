package sense_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/sense"
)

func TestNeed(t *testing.T) {
	var d sense.Need
	if one, growth := d.Outlook(0, 5); one != 0 || growth != 0 {
		t.Errorf("nothing learnt: %v and %v, want 0", one, growth)
	}
	big := int64(4*sense.OwnPeak()) + 1<<30
	d.Learn(0, big)
	one, growth := d.Outlook(0, 4)
	if one != float64(big) || growth != float64(big)*2 {
		t.Errorf("a job of %d: %v and %v; want itself, and half of it for each of 4", big, one, growth)
	}
	if _, growth = d.Outlook(float64(big), 4); growth != 0 {
		t.Errorf("jobs at full size grow by %v", growth)
	}
}

// TestNeedDistrustsMaxRSSUpToOurOwn: a child inherits its parent's maximum.
func TestNeedDistrustsMaxRSSUpToOurOwn(t *testing.T) {
	own := int64(sense.OwnPeak())
	if own == 0 {
		t.Skip("not known here")
	}
	var d sense.Need
	d.Learn(0, own)
	if one, growth := d.Outlook(0, 100); one != float64(own) || growth != 0 {
		t.Errorf("%v and %v; want an upper bound of %d and no growth", one, growth, own)
	}
	var seen sense.Need
	seen.Learn(1<<20, own) // was seen holding 1 MiB
	if one, _ := seen.Outlook(0, 1); one != 1<<20 {
		t.Errorf("%v, want what was seen", one)
	}
}

func TestNeedFollowsHeavierJobs(t *testing.T) {
	var d sense.Need
	for range 1000 {
		d.Learn(1<<20, 0)
	}
	for range 100 {
		d.Learn(100<<20, 0)
	}
	if one, _ := d.Outlook(0, 1); one < 90<<20 {
		t.Errorf("%v after a hundred jobs of 100 MiB", one)
	}
}
