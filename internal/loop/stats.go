package loop

import (
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// Stats are the present figures. The fields are explained at sweetspot.Stats.
type Stats struct {
	Limit    int
	InFlight int
	Waiting  int
	Manual   bool

	Reserved  int64
	Reserving int

	Completed int64
	Ignored   int64
	Overloads int64

	Active     time.Duration
	Rate       float64
	Residence  float64
	OwnCPU     float64
	MachineCPU float64
	CPUs       float64
}

// rates keeps readings of the last second, one every tenth.
type rates struct {
	ring [11]control.Reading
	n    int
	// first is of the first one, from which on CPU time is measured.
	first struct {
		at           time.Duration
		own, machine float64 // CPU seconds
	}
}

func (s *rates) add(r *control.Reading) {
	if s.n == 0 {
		s.n = 1 // the zero Reading: all totals begin at 0
		s.first.at, s.first.own, s.first.machine = r.At, r.OwnCPU, r.MachineCPU
	}
	if r.At-s.ring[(s.n-1)%len(s.ring)].At < 100*time.Millisecond {
		return
	}
	s.ring[s.n%len(s.ring)] = *r
	s.n++
}

// fill sets the rates of st up to the newest reading.
func (s *rates) fill(st *Stats, b *control.Reading) {
	if s.n == 0 {
		return
	}
	a := &s.ring[max(0, s.n-len(s.ring))%len(s.ring)]
	t := (b.At - a.At).Seconds()
	if t <= 0 {
		return
	}
	st.Rate = (b.Units - a.Units) / t
	// The clocks of the CPUs step by up to 10 ms, so that over a short time more
	// may seem to be used than there is.
	most := max(b.CPUs, 1)
	st.OwnCPU = min((b.OwnCPU-a.OwnCPU)/t, most)
	st.MachineCPU = min((b.MachineCPU-a.MachineCPU)/t, most)
	if n := b.Timed - a.Timed; n > 0 {
		st.Residence = (b.Residence - a.Residence) / float64(n)
	}
}

// full reports whether the CPUs have been busy from the first measurement to the newest
// reading, and no less than a fair share of them with this process. It is false as long as
// that is unknown.
func (s *rates) full(b *control.Reading) bool {
	if s.n == 0 {
		return false
	}
	a := &s.first
	most := (b.At - a.at).Seconds() * b.CPUs
	own, all := b.OwnCPU-a.own, b.MachineCPU-a.machine
	return most > 0 && (own >= 0.8*most || own >= 0.3*most && all >= 0.95*most)
}
