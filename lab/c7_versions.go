package lab

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// A version is a pair of the article: times with one thread, and with 4.
type version struct {
	label   string
	release string
	one     float64 // ns each
	four    float64
}

func versions() (all []version) {
	for pair := range slices.Chunk(publishedFigures()["C7"], 2) {
		release, _, _ := strings.Cut(pair[0].Text, ", ")
		all = append(all, version{pair[0].Label, release, pair[0].Y, pair[1].Y})
	}
	return all
}

func c7() *experiment {
	const unit = "ns/value"
	return handingOver("C7", unit, size{40_000, 500_000, 1_000_000, "values"}, judgeVersions, func() []point {
		return concat([]point{handOverPoint(unbuffered, unit, 0), handOverPoint(buffer1, unit, 1), handOverPoint(buffer100, unit, 100), replyPoint(unit)}, onOneAndAll)
	})
}

// judgeVersions compares what more threads cost then and now. The times
// themselves are from other machines, and say less.
func judgeVersions(r *results) (v verdict) {
	then := func(p version) string {
		return fmt.Sprintf("With 1 CPU it takes %s, and took %s.", humanize.Format(r.at(p.label, 1).Y, "ns"), humanize.Format(p.one, "ns"))
	}
	if r.cpus == 1 {
		v.notes = each(versions(), func(p version) string { return fmt.Sprintf("%s, %s: %s", capital(p.label), p.release, then(p)) })
		return v
	}
	labels := map[figures.Effect][]string{}
	var effects []figures.Effect
	for _, p := range versions() {
		s, before := ratio(r.at(p.label, float64(r.cpus)), r.at(p.label, 1)), p.four/p.one
		change := "about what it was"
		switch {
		case s.high <= 1:
			change = "gone"
		case s.low <= 1 && s.high >= before:
			change = "between gone and what it was"
		case s.low <= 1:
			change = "gone, within the noise"
		case s.high < before:
			change = "less"
		case s.low > before:
			change = "more"
		}
		effect := s.sees(1, slower)
		effects = append(effects, effect)
		if !slices.Contains(labels[effect], p.label) {
			labels[effect] = append(labels[effect], p.label)
		}
		v.notes = append(v.notes, fmt.Sprintf("%s: more CPUs took %s x the time with %s, and take %v now: %s. %s", capital(p.label), humanize.Number(before), p.release, s, change, then(p)))
	}
	var parts []string
	for _, effect := range []figures.Effect{figures.Shows, figures.Absent, figures.Untold} {
		if with := strings.Join(labels[effect], ", "); with != "" {
			parts = append(parts, says(effect, "slower", "not slower", "undecided")+" with "+with)
		}
	}
	v.words = fmt.Sprintf("%d CPUs against 1, with %s: %s", r.cpus, runtime.Version(), strings.Join(parts, "; "))
	v.effect = every(effects...)
	v.notes = append(v.notes,
		"What 4 threads did in the article is compared with what all CPUs do here.",
		"The article's listing for buffer 100 and 4 threads with Go 1.1.2 repeats the one for buffer 1 and 1 thread, so there is no figure to compare.",
		"Its times for Go 1.1.2 come in steps of a millisecond, those for 1.0.2 do not: they may be from another machine, so only ratios are compared.")
	return v
}
