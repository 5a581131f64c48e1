package sense

import (
	"testing"
	"time"
)

const mb = 1 << 20

func TestNeedGuessesFromFew(t *testing.T) {
	var d need
	d.learn(100*mb, time.Second, 2*time.Second, 0)
	one := d.another(d.record(0))
	if one.mean != 125*mb || one.within(deviations) <= one.mean {
		t.Errorf("after one job of 100 MiB: %v MiB, at most %v; want halfway to a record of 150, and more at most", one.mean/mb, one.within(deviations)/mb)
	}
	for range 1000 {
		d.learn(100*mb, time.Second, 2*time.Second, 0)
	}
	if one = d.another(d.record(0)); one.within(deviations) > 105*mb {
		t.Errorf("after a thousand: %v MiB at most", one.within(deviations)/mb)
	}
}

func TestNeedKnowsWhenJobsHaveGrownUp(t *testing.T) {
	var d need
	for range 1000 {
		d.learn(100*mb, time.Second, 2*time.Second, 0)
	}
	record := d.record(0)
	if young := d.growth(40*mb, time.Second/2, false, record); young.mean < 59*mb || young.mean > 61*mb {
		t.Errorf("a young job that holds 40 MiB of 100 grows by %v", young.mean/mb)
	}
	if old := d.growth(40*mb, 3*time.Second/2, false, record); old.mean > 1*mb {
		t.Errorf("a job older than jobs grow takes %v MiB more", old.mean/mb)
	}
}

// One in four after three jobs may go on to grow, to what the largest held: 60 MiB more.
func TestNeedExpectsNoRecordOfTheGrownUp(t *testing.T) {
	var d need
	for range 3 {
		d.learn(100*mb, time.Second, 2*time.Second, 0)
	}
	if old := d.growth(40*mb, 3*time.Second/2, false, d.record(0)); old.mean != 15*mb {
		t.Errorf("a grown-up job that holds 40 of at most 100 MiB takes %v MiB more on average, want 15", old.mean/mb)
	}
	if largest := d.growth(120*mb, 3*time.Second/2, false, d.record(120*mb)); largest != (outlook{}) {
		t.Errorf("the largest of all takes %v MiB more", largest.mean/mb)
	}
}

// A child inherits its parent's maximum, so that says nothing of what it holds.
func TestNeedDistrustsMaxRSSUpToOurOwn(t *testing.T) {
	own := int64(ownPeak())
	if own == 0 {
		t.Skip("not known here")
	}
	var d need
	d.learn(0, 0, time.Second, own)
	if l := d.known()[0]; l.peak != float64(own) || l.sure != 0 {
		t.Errorf("%+v; want an upper bound of %d and nothing sure", l, own)
	}
	d.learn(1<<20, 0, time.Second, own)
	if l := d.known()[1]; l.peak != 1<<20 {
		t.Errorf("%+v, want what was seen", l)
	}
	d.learn(1<<20, 0, time.Second, 4*own)
	if l := d.known()[2]; l.sure != float64(4*own) || l.settled != time.Second {
		t.Errorf("%+v, want the kernel's figure, reached after the last look", l)
	}
}

func TestNeedFollowsHeavierJobs(t *testing.T) {
	var d need
	for range 1000 {
		d.learn(1*mb, 0, time.Second, 0)
	}
	for range window {
		d.learn(100*mb, 0, time.Second, 0)
	}
	if one := d.another(d.record(0)); one.mean < 90*mb {
		t.Errorf("%v MiB after %d jobs of 100 MiB", one.mean/mb, window)
	}
}
