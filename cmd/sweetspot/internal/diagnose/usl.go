package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A Scaling is what work does with more CPUs, or with more workers.
type Scaling struct {
	By     string       `json:"by"` // GOMAXPROCS, or workers
	Points []ScalePoint `json:"points"`
	// Fit is absent where the points do not carry one; Unfit then says why.
	Fit   *USL   `json:"fit,omitempty"`
	Unfit string `json:"unfit,omitempty"`
}

// A ScalePoint is the throughput with n of them. Samples at the same place are
// of the same round, and so of nearly the same time.
type ScalePoint struct {
	N       int            `json:"n"`
	Samples []float64      `json:"samples"` // 1/s
	Speedup dissect.Spread `json:"speedup"` // against the fewest
}

// A USL is a fit of the universal scalability law by N. J. Gunther ("A General
// Theory of Computational Scalability Based on Rational Functions", 2008): with n
// of them the throughput is
//
//	λn / (1 + σ(n-1) + κn(n-1))
//
// where λ is that of one, σ the contention, what has to be done one after the
// other, and κ the coherency, what each pair has to agree on.
type USL struct {
	One        dissect.Spread `json:"one"` // λ, 1/s
	Contention dissect.Spread `json:"contention"`
	Coherency  dissect.Spread `json:"coherency"`
	Peak       float64        `json:"peak,omitempty"` // n with the most throughput; 0 if there is none near
	Misses     float64        `json:"misses"`         // the most by which a median is off the curve, of itself
}

const (
	// fitPoints is the least that says more than the three numbers of the law take:
	// with three points every curve is a perfect fit.
	fitPoints = 4
	// fitRounds is the least from which a resampling tells what the noise does.
	fitRounds = 3
	// fitMisses is how far medians may be off the curve. A law with three numbers
	// that misses by a tenth of a figure describes something else, for example a
	// CPU that is slower with all its cores busy.
	fitMisses = 0.1
	// fitWidth is how wide the interval of the contention may be. From σ = 0 to 0.2
	// lies everything between work that scales and work that never gets beyond 5
	// times: such a fit says nothing.
	fitWidth = 0.2
	// fitBeyond is how many times the largest number that was tried the one with the
	// most throughput may be. Farther away the law is not known to go on.
	fitBeyond = 2
	// resamples gives quantiles of 2.5 % from 10 of them on either side.
	resamples = 400
)

// scalingOf forms the speedups and fits the law where the points carry it. Points
// beyond most, which is how many can run at a time, take no part in the fit: what
// they lose is lost to waiting for a CPU, and the law is of those that run.
func scalingOf(by string, points []ScalePoint, most int) *Scaling {
	points = slices.DeleteFunc(slices.Clone(points), func(p ScalePoint) bool { return len(p.Samples) == 0 })
	slices.SortFunc(points, func(a, b ScalePoint) int { return cmp.Compare(a.N, b.N) })
	if len(points) == 0 {
		return nil
	}
	s := &Scaling{By: by, Points: points}
	for i := range points {
		s.Points[i].Speedup = evidence.RatioOf(points[i].Samples, points[0].Samples)
	}
	s.Fit, s.Unfit = fitUSL(slices.DeleteFunc(slices.Clone(points), func(p ScalePoint) bool { return p.N > most }))
	return s
}

// fitUSL fits the law to medians, by the least squares of relative errors, with
// intervals from resampled rounds. It returns why there is no fit otherwise.
func fitUSL(points []ScalePoint) (*USL, string) {
	rounds := math.MaxInt
	for _, p := range points {
		rounds = min(rounds, len(p.Samples))
	}
	switch {
	case len(points) < fitPoints:
		return nil, fmt.Sprintf("a fit takes %d numbers that can run at a time, and there are %d", fitPoints, len(points))
	case rounds < fitRounds:
		return nil, fmt.Sprintf("a fit takes %d rounds, and there are %d", fitRounds, rounds)
	}
	at := func(which []int) [3]float64 {
		ns, xs := make([]float64, len(points)), make([]float64, len(points))
		of := make([]float64, len(which))
		for i, p := range points {
			for j, k := range which {
				of[j] = p.Samples[k]
			}
			ns[i], xs[i] = float64(p.N), evidence.Median(of)
		}
		return leastUSL(ns, xs)
	}
	which := make([]int, rounds)
	for k := range which {
		which[k] = k
	}
	mid := at(which)
	var samples [3][]float64
	random := rand.New(rand.NewPCG(1, 2)) // the same figures give the same intervals
	for range resamples {
		for k := range which {
			which[k] = random.IntN(rounds)
		}
		for i, v := range at(which) {
			samples[i] = append(samples[i], v)
		}
	}
	u := &USL{}
	for i, to := range []*dissect.Spread{&u.One, &u.Contention, &u.Coherency} {
		slices.Sort(samples[i])
		*to = dissect.Spread{Mid: mid[i], Low: samples[i][resamples/40], High: samples[i][resamples-1-resamples/40]}
	}
	for _, p := range points {
		x := evidence.Median(p.Samples[:rounds])
		u.Misses = max(u.Misses, math.Abs(u.At(float64(p.N))-x)/x)
	}
	switch {
	case !(max(u.One.Mid, u.One.High) < math.Inf(1)): // with 1/λ = 0, σ and κ are not known either
		return nil, "the throughput falls faster than the law knows"
	case !(u.Misses <= fitMisses): // which NaN is not either
		return nil, fmt.Sprintf("the law misses a median by %.0f %%", 100*u.Misses)
	case !(u.Contention.High-u.Contention.Low <= fitWidth):
		return nil, fmt.Sprintf("the noise leaves a contention from %.2f to %.2f", u.Contention.Low, u.Contention.High)
	}
	if u.Coherency.Low > 0 && u.Contention.Mid < 1 {
		if peak := math.Sqrt((1 - u.Contention.Mid) / u.Coherency.Mid); peak <= fitBeyond*float64(points[len(points)-1].N) {
			u.Peak = peak
		}
	}
	return u, ""
}

// At returns the throughput with n by the law.
func (u *USL) At(n float64) float64 {
	return u.One.Mid * n / (1 + u.Contention.Mid*(n-1) + u.Coherency.Mid*n*(n-1))
}

// leastSteps is how often leastUSL goes round at most. The terms resemble each other, so that it comes
// closer by little each time; 5,000 rounds are exact to six digits.
const leastSteps = 5_000

// leastUSL fits n/x = a + b(n-1) + cn(n-1), which is linear, and where a = 1/λ, b = σ/λ and
// c = κ/λ, and returns λ, σ and κ. It improves one of them after the other; none can be less than 0.
func leastUSL(ns, xs []float64) [3]float64 {
	var v [3]float64
	rows := make([][3]float64, len(ns))
	for i, n := range ns {
		rows[i] = [3]float64{xs[i] / n, xs[i] / n * (n - 1), xs[i] * (n - 1)}
	}
	for range leastSteps {
		before := v
		for k := range v {
			var off, square float64
			for _, r := range rows {
				off += r[k] * (1 - r[0]*v[0] - r[1]*v[1] - r[2]*v[2])
				square += r[k] * r[k]
			}
			v[k] = max(0, v[k]+off/square)
		}
		if before == v {
			break
		}
	}
	return [3]float64{1 / v[0], v[1] / v[0], v[2] / v[0]}
}
