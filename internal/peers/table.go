package peers

import (
	"hash/maphash"
	"time"
)

const (
	// rows is how many peers are told apart. More of them share rows, so that those with
	// overloads hide some of the others: with half as many addresses two fifths, and nine
	// tenths with two and a half times as many.
	rows = 256
	// nearest rows are looked at for one of a peer's own.
	nearest = 4
	// leastWork is the part of the time in flight that witnesses have at least: fewer,
	// such as health checks beside a proxy that all clients use, prove nothing.
	leastWork = 0.1
	// leastSeen requests of witnesses must have ended, and some remembered are the newest.
	leastSeen, remembered = 20, 1000
	// A peer suffers if it has more than a few overloads: if its score, which each overload
	// raises by one and the successes beside few lower by as much, is above oneScore. It is at
	// most mostScore, so that with 2 % 200 successes are enough to do well again, while
	// hardly any peer with 3 % passes for one of those.
	oneScore, mostScore = 1, 5
)

// A table holds what the peers of a server have seen of late.
type table struct {
	few   float64      // share of overloads that proves nothing
	seed  maphash.Seed // chosen here, so that nobody can choose addresses that share rows
	rows  [rows]row
	well  sum     // of the peers that do not suffer
	work  float64 // of all
	fresh int     // requests of peers that do well, since the last halving
	spent float64 // work of the others since then
}

// A sum is what was seen: of requests, and their time in flight in seconds.
type sum struct{ ended, overloads, work float64 }

// add adds so many times b.
func (s *sum) add(b sum, times float64) {
	s.ended, s.overloads, s.work = s.ended+times*b.ended, s.overloads+times*b.overloads, s.work+times*b.work
}

// A row is what one peer has seen: requests since it suffers, or since it does not, and the
// time of all. Where there are many peers, some share one.
type row struct {
	hash  uint64 // of the peer; 0: it is free
	score float64
	sum
}

func (t *table) of(peer string) *row {
	h := maphash.String(t.seed, peer) | 1
	home := h >> 1
	for i := range uint64(nearest) {
		r := &t.rows[(home+i)%rows]
		if r.hash == 0 {
			r.hash = h
		}
		if r.hash == h {
			return r
		}
	}
	return &t.rows[home%rows]
}

// done notes a request of a peer that succeeded.
func (t *table) done(peer string, took time.Duration) {
	r := t.of(peer)
	t.note(r, max(0, r.score-t.few/(1-t.few)), 0, took)
}

// overloaded notes a request of a peer that ended as an overload.
func (t *table) overloaded(peer string, took time.Duration) {
	r := t.of(peer)
	t.note(r, min(r.score+1, mostScore), 1, took)
}

// note notes a request. The time in flight of overloads is work, too: where none of the
// requests of a peer succeeds, it may still be the one that all clients use.
func (t *table) note(r *row, score, overloads float64, took time.Duration) {
	suffered, suffers := r.score > oneScore, score > oneScore
	if !suffered {
		t.well.add(r.sum, -1)
	}
	if suffers != suffered {
		r.ended, r.overloads = 0, 0
	}
	r.score = score
	r.add(sum{1, overloads, took.Seconds()}, 1)
	t.work += took.Seconds()
	if !suffers {
		t.well.add(r.sum, 1)
	}
	t.age(suffers, took)
}

// servesWell reports whether the peers that do not suffer prove it.
func (t *table) servesWell() bool {
	w := t.well
	return w.ended >= leastSeen && w.work >= leastWork*t.work && w.overloads <= 1+t.few*w.ended
}

// age takes note that a request has ended. It halves what was before if enough is new: of
// the peers that do well, or else of the others, so that they cannot make the table forget
// while they do less than all but leastWork.
func (t *table) age(suffers bool, took time.Duration) {
	if suffers {
		t.spent += took.Seconds()
		if leastWork*t.spent <= (1-leastWork)*t.well.work {
			return
		}
	} else if t.fresh++; t.fresh <= remembered/2 {
		return
	}
	t.fresh, t.spent, t.well, t.work = 0, 0, sum{}, 0
	for i := range t.rows {
		r := &t.rows[i]
		r.add(r.sum, -0.5)
		if t.work += r.work; r.score <= oneScore {
			t.well.add(r.sum, 1)
		}
	}
}
