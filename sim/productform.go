package sim

import "math"

// tableSize bounds the tables of throughput: with more units in flight the
// network is either saturated or far from it, and both are a formula.
const tableSize = 1 << 14

// productForm returns the throughput, in units per second, of a closed network
// without slowdown for 1, 2, ... units in flight: x[0] is for 1. The network
// is a delay of mean wait, a queue of mean service with that many servers, and
// cores that the ready units share. It is exact when the service times are
// exponential; delay and cores may have any distribution (BCMP, 1975). The
// table ends when the throughput has reached the capacity, or at size.
//
// The method is convolution (Buzen, 1973): with g the normalising constants,
// x(n) = g(n-1)/g(n). They range over thousands of decades, so they are kept
// as logarithms, and the sum is built outwards from its largest term, which
// exists and moves up monotonically because the weights of stations whose
// speed does not fall with their load are log-concave.
func productForm(wait, service float64, servers int, cpu, cores float64, size int) []float64 {
	capacity := capacityOf(service, servers, cpu, cores)
	g := &constants{size: size}
	if wait > 0 {
		g.add(func(n int) float64 { return wait / float64(n) })
	}
	if service > 0 {
		g.add(func(n int) float64 { return service / min(float64(n), float64(servers)) })
	}
	if cpu > 0 {
		g.add(func(n int) float64 { return cpu / min(float64(n), cores) })
	}
	x := make([]float64, 0, size)
	for n := 1; n <= size; n++ {
		y := 1 / g.ratio[n]
		if y >= capacity*(1-1e-9) {
			return append(x, capacity)
		}
		x = append(x, y)
	}
	return x
}

// capacityOf returns the throughput that no number of units can exceed; +Inf
// for a pure delay.
func capacityOf(service float64, servers int, cpu, cores float64) float64 {
	c := math.Inf(1)
	if service > 0 {
		c = min(c, float64(servers)/service)
	}
	if cpu > 0 {
		c = min(c, cores/cpu)
	}
	return c
}

// constants are the normalising constants of a network, up to a size: log[n]
// is their logarithm and ratio[n] is g(n)/g(n-1).
type constants struct {
	size       int
	log, ratio []float64
	stations   int
}

// add adds a station; weight(n) is the factor by which its weight with n units
// exceeds that with n-1: the mean time over the number served at a time.
func (g *constants) add(weight func(n int) float64) {
	g.stations++
	w := make([]float64, g.size+1) // factors of the new station
	logw := make([]float64, g.size+1)
	for n := 1; n <= g.size; n++ {
		w[n] = weight(n)
		logw[n] = logw[n-1] + math.Log(w[n])
	}
	if g.stations == 1 {
		g.log, g.ratio = logw, w
		return
	}
	log := make([]float64, g.size+1)
	ratio := make([]float64, g.size+1)
	peak := 0 // how many of the n units the new station has in the largest term
	for n := 1; n <= g.size; n++ {
		for peak < n && w[peak+1] > g.ratio[n-peak] {
			peak++
		}
		const negligible = 1e-15
		sum, term := 1.0, 1.0
		for j := peak; j < n; j++ { // one unit more at the new station
			term *= w[j+1] / g.ratio[n-j]
			sum += term
			if term < negligible {
				break
			}
		}
		term = 1
		for j := peak; j > 0; j-- { // one unit less
			term *= g.ratio[n-j+1] / w[j]
			sum += term
			if term < negligible {
				break
			}
		}
		log[n] = logw[peak] + g.log[n-peak] + math.Log(sum)
		ratio[n] = math.Exp(log[n] - log[n-1])
	}
	g.log, g.ratio = log, ratio
}
