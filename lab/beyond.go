package lab

import (
	"fmt"
	"strings"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// toldApart says what a ratio cannot.
func toldApart(e estimate) string {
	if e.low <= 1 && e.high >= 1 {
		return ", which cannot be told from the same"
	}
	return ""
}

// beyondCPUs compares the most workers of manyWorkers with as many as CPUs. It
// returns what it found in words, how many times as long the former take, and what
// else there is to say.
func (r *results) beyondCPUs(label string) (string, estimate, []string) {
	one, base, most := r.at(label, 1), r.at(label, float64(r.cpus)), r.at(label, float64(manyWorkers(r.cpus)))
	more := ratio(most, base)
	words := fmt.Sprintf("%g workers take %v the time of %d, the CPU count%s", most.X, more, r.cpus, toldApart(more))
	notes := []string{sentence(r.bestNumber(label))}
	if r.cpus > 1 {
		gain := ratio(one, base)
		note := fmt.Sprintf("%d workers are %v as fast as one", r.cpus, gain)
		if gain.low > nearlyAll*float64(r.cpus) {
			note += ", so the CPUs have nothing left for more workers to gain"
		}
		notes = append(notes, note+".")
	}
	return words, more, notes
}

// beyondGain is by how much 24 workers were faster than 12 in the article, which had
// as many CPUs as the latter. What cannot be half of that is not what it saw.
const beyondGain = 0.0112

// nearlyAll is the part of all CPUs beyond which what is lost is lost to starts and
// ends of runs rather than to too few workers.
const nearlyAll = 0.9

// bestNumber tells which number of workers is the best of a label, and which
// others may be.
func (r *results) bestNumber(label string) string {
	best := r.bestOf(func(p *figures.Point) bool { return p.Label == label })
	var rivals []string
	for _, p := range r.of(label) {
		if p != best && r.speedup(best, p).low <= 1 {
			rivals = append(rivals, fmt.Sprintf("%g", p.X))
		}
	}
	words := fmt.Sprintf("best at %g", best.X)
	if len(rivals) > 0 {
		words += ", which cannot be told from " + strings.Join(rivals, ", ")
	}
	return words
}
