package lab_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// What the streams mean follows from their figures.
func TestJudgeStreams(t *testing.T) {
	searches, memory := lab.Tasks()
	law, ours := lab.GovernorNames()
	of := func(task, name string) string { return task + ": " + name }
	all := func(names []string, name string, y float64) map[string]float64 {
		given := map[string]float64{}
		for _, task := range names {
			given[of(task, name)] = y
		}
		return given
	}
	with := func(maps_ ...map[string]float64) map[string]float64 {
		given := map[string]float64{}
		for _, m := range maps_ {
			maps.Copy(given, m)
		}
		return given
	}
	tasks := append(append([]string{}, searches...), memory...)
	large, middle := memory[0]+", more at a time are better, and too many are much worse: ", memory[1]+", flat from 16 on, and better past 1,024: "
	small := memory[2] + ", best at 4 to 64: "
	sims := map[string]float64{
		"simulated ceiling: " + law + ", mean limit":  80,
		"simulated plateau: " + law:                   0.1,
		"simulated parameters: lowest score":          0.4,
		"simulated parameters: highest score":         0.9,
		"simulated ceiling: " + ours + ", mean limit": 1.1,
	}
	for _, c := range []struct {
		id     string
		given  map[string]float64
		effect figures.Effect
		words  []string // that the verdict or its notes have
	}{
		{"E6", nil, figures.Absent, []string{"one fixed number is nearly as good as the best everywhere", "within 2 % of it: met"}},
		{"E6", map[string]float64{
			lab.FixedLabel(searches[0]) + "/16": 3, lab.FixedLabel(searches[1]) + "/1": 3,
			of(searches[1], ours): 1.5, of(searches[1], ours) + ", mean limit": 5, of(searches[0], law): 6,
		}, figures.Shows, []string{
			"no fixed number is good everywhere: best are 16 (" + searches[0] + "), 1 (" + searches[1] + ")",
			capital(searches[0]) + ": best fixed number 16 (4096 at a time: 0.333 (",
			law + " 2.00 (", "mean limit 5.01, 5.01 x that number", "not met in ",
			searches[1] + ": 0.500 of the best", searches[1] + ": 5.01 x the number", "30 s, and these take 0.900 s",
		}},
		{"E6", map[string]float64{lab.FixedLabel(searches[0]) + "/4": 1.01}, figures.Absent, []string{"best fixed number 4, smallest within 2 % of it 1"}},
		{"E7", nil, figures.Absent, []string{large + "does not show here", middle + "undecided at this size", small + "does not show here"}},
		{"E7", map[string]float64{lab.FixedLabel(memory[0]) + "/1": 0.5, lab.FixedLabel(memory[0]) + "/64": 0.3}, figures.Absent, []string{large + "shows here", small + "does not show here"}},
		{"E7", map[string]float64{lab.FixedLabel(memory[0]) + "/1": 0.5, lab.FixedLabel(memory[0]) + "/64": 0.9}, figures.Absent, []string{large + "does not show here"}}, // more is not much worse
		{"E7", map[string]float64{lab.FixedLabel(memory[2]) + "/16": 2}, figures.Absent, []string{small + "shows here"}},
		{"E8", nil, figures.Shows, []string{law + ", clearly reaches 0.9 of the best fixed number in 6 of 6 tasks"}},
		{"E8", all(tasks[:3], law, 0.5), figures.Absent, []string{"in 3 of 6 tasks"}},
		{"E8", all(tasks[:2], law, 0.5), figures.Shows, []string{"in 4 of 6 tasks", law + " 0.5"}},
		{"E9", nil, figures.Untold, []string{"times sequential by the law as published, with 2 CPUs, and as reported: 1.00 (6), "}},
		{"E9", all(tasks, law, 2.4), figures.Shows, []string{"reported 6 times with a median limit of 11 on 8 CPUs, 0.750 a CPU; here " + law + " 2.40 x (", "1.20 a CPU"}},
		{"E9", with(all(tasks, law, 2.4), all(memory[:1], law, 0.9)), figures.Absent, []string{"0.902 (3)"}},
		{"E10", sims, figures.Shows, []string{"the limit runs away to 80.2 x the best number", "Simulated, ours: below a ceiling of CPU usage 1.10 x", "Ours shows neither failure", "On real work " + law + " neither runs away nor is stuck"}},
		{"E10", nil, figures.Absent, nil},
		{"E10", with(sims, map[string]float64{"simulated plateau: " + law: 0.95}), figures.Absent, nil},
		{"E10", with(sims, map[string]float64{of(memory[1], law) + ", mean limit": 40, of(memory[2], ours) + ", mean limit": 0.2, of(memory[2], ours): 0.5}), figures.Shows, []string{
			"On real work " + law + " runs away in 409,600 B (40.1 x the number)",
			"On real work ours is stuck in 40,960 B (0.200 x the number, 0.500 of the best)",
			"Ours is not free of these failures here",
		}},
		{"E10", with(sims, map[string]float64{of(memory[1], law) + ", mean limit": 9}), figures.Shows, []string{"On real work " + law + " neither runs away nor is stuck"}},
	} {
		v, err := lab.Conclude(c.id, "quick", 2, c.given)
		if err != nil {
			t.Errorf("%s: %v", c.id, err)
			continue
		}
		if v.Effect != c.effect {
			t.Errorf("%s with %v: effect %v, want %v: %s", c.id, c.given, v.Effect, c.effect, v.Words)
		}
		said := v.Words + "\n" + strings.Join(v.Notes, "\n")
		for _, w := range c.words {
			if !strings.Contains(said, w) {
				t.Errorf("%s with %v: no %q in\n%s", c.id, c.given, w, said)
			}
		}
		if v.Ours == nil || !strings.HasSuffix(v.Ours.Label, ours) {
			t.Errorf("%s: ours is %+v", c.id, v.Ours)
		}
	}
}

// Streams are judged at each size.
func TestJudgeStreamsAtEachSize(t *testing.T) {
	for _, id := range lab.StreamIDs {
		for _, scale := range lab.Scales {
			v, err := lab.Conclude(id, scale, 2, nil)
			if err != nil || v.Words == "" || v.Ours == nil {
				t.Errorf("%s at %s: %+v, %v", id, scale, v, err)
			}
		}
		if _, article := lab.SizesInWords(id); !strings.HasPrefix(article, "30,000 ms") {
			t.Errorf("%s has %s at the article's size, want half a minute", id, article)
		}
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
