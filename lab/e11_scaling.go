package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sim"
)

const (
	scaleThreshold = "threshold, "
	scaleAuthor    = "the author's, "
	scaleDemand    = "Demand, "
	scaleCost      = "replicas, "
	scaleOver      = "overshoot, "

	// scaleMain is the service of the author's arrivals where a replica takes 6 steps
	// to start, as there.
	scaleMain = "published6"
	// publishedSteps is how many steps each of the author's rates lasts.
	publishedSteps = 100
	// scaleSeeds is the number of seeds: a run has up to millions of requests.
	scaleSeeds = 3
)

var scaleSize = size{20, publishedSteps, publishedSteps, "steps of each published rate"}

// A scaler is a law for the number of replicas, by name.
type scaler struct {
	name string
	make func(sim.Service) control.Scaler
	ours bool
}

var scalers = []scaler{
	{scaleThreshold, func(s sim.Service) control.Scaler { return control.NewHPA(s.Target) }, false},
	{scaleAuthor, func(s sim.Service) control.Scaler {
		return control.NewCompensated(s.Target, 1, int(math.Round(s.Startup.Mean()/s.Step)))
	}, false},
	{scaleDemand, func(sim.Service) control.Scaler { return control.NewDemand() }, true},
}

func e11() *experiment {
	return &experiment{
		id: "E11", size: scaleSize,
		points: func(s scale) []point {
			var ps []point
			for _, sv := range scaleServices(s) {
				for _, l := range scalers {
					ps = append(ps,
						l.figureOf(l.name+sv.Name, "s/request", sv, func(r *sim.ScaleResult) float64 { return r.Mean }),
						l.figureOf(scaleCost+l.name+sv.Name, "replicas", sv, func(r *sim.ScaleResult) float64 { return r.ReplicaSeconds / sv.Seconds }).asAside(),
						l.figureOf(scaleOver+l.name+sv.Name, "%", sv, func(r *sim.ScaleResult) float64 { return 100 * r.Overshoot }).asAside())
				}
			}
			return inRounds(scaleSeeds, append(ps, setPointPoints()...)...)
		},
		judge: func(r *results) verdict {
			var notes []string
			for _, sv := range scaleServices(r.scale) {
				did := each(scalers, func(l scaler) string {
					return fmt.Sprintf("%s %s s with %s replicas, %s %% over",
						strings.TrimSuffix(l.name, ", "), humanize.Number(r.at(l.name+sv.Name, 0).Y), humanize.Number(r.at(scaleCost+l.name+sv.Name, 0).Y), humanize.Number(r.at(scaleOver+l.name+sv.Name, 0).Y))
				})
				notes = append(notes, fmt.Sprintf("%s: %s; Demand has %v the waiting of the threshold for %v the replicas.",
					capital(sv.Name), strings.Join(did, ", "),
					ratio(r.at(scaleDemand+sv.Name, 0), r.at(scaleThreshold+sv.Name, 0)),
					ratio(r.at(scaleCost+scaleDemand+sv.Name, 0), r.at(scaleCost+scaleThreshold+sv.Name, 0))))
			}
			aims := each(setPointLaws(), func(l law) string {
				return fmt.Sprintf("%s by %s", humanize.Number(r.at(setPointOf+l.name, 0).Y), l.name)
			})
			notes = append(notes, "Share of the best throughput in the simulated works of E3: "+strings.Join(aims, "; ")+".")
			threshold, author := r.at(scaleThreshold+scaleMain, 0), r.at(scaleAuthor+scaleMain, 0)
			less := ratio(author, threshold)
			return verdict{
				words: fmt.Sprintf("on the published arrivals with starts of 6 steps, requests wait %s s under the threshold autoscaler, %s s under the author's, %s s under Demand",
					humanize.Number(threshold.Y), humanize.Number(author.Y), humanize.Number(r.at(scaleDemand+scaleMain, 0).Y)),
				effect: less.below(1),
				ours: r.answerOf(func(p *figures.Point) bool { return p.Label == threshold.Label || p.Label == author.Label },
					r.at(scaleDemand+scaleMain, 0)),
				notes: notes,
			}
		},
	}
}

// setPointLaws are those whose set points are compared, with the library's law, which
// has none.
func setPointLaws() []law {
	published := governors()[0]
	return append([]law{{published.name, published.law}}, append(slices.Clone(variants), searchLaw)...)
}

const setPointOf = "set point, "

// setPointPoints are how well laws with other set points do, beside the replicas.
func setPointPoints() []point {
	return each(setPointLaws(), func(l law) point {
		p := l.scoreOf(setPointOf+l.name, scenariosOf(lawScenarios)...).asAside()
		p.ours = l.name == searchLaw.name
		return p
	})
}

// scaleServices are the simulated services. In the quick size the author's
// arrivals last a fifth of their time, and services that take seconds are left
// out.
func scaleServices(s scale) []sim.Service {
	var all []sim.Service
	for _, sv := range sim.Services() {
		if s == quick && (sv.Name == "stairs" || sv.Name == "ten-thousand") {
			continue
		}
		if strings.HasPrefix(sv.Name, "published") {
			part := float64(scaleSize.at(s)) / publishedSteps
			sv.Seconds *= part
			for i := range sv.Load {
				sv.Load[i].From *= part
			}
		}
		all = append(all, sv)
	}
	return all
}

// scalings are the results so far, as [simulations].
var scalings = map[scaling]*sim.ScaleResult{}

type scaling struct {
	service, law string
	seconds      float64
	seed         uint64
}

func (l scaler) figureOf(label, unit string, sv sim.Service, figure func(*sim.ScaleResult) float64) point {
	p := bySeed(label, unit, func(seed uint64) (float64, error) {
		key := scaling{sv.Name, l.name, sv.Seconds, seed}
		if scalings[key] == nil {
			r, err := sim.Autoscale(sv, seed, l.make(sv))
			if err != nil {
				return 0, err
			}
			scalings[key] = r
		}
		return figure(scalings[key]), nil
	})
	p.ours = l.ours
	return p
}
