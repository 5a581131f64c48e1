package natslimit

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// A leader is the elected worker at work: it asks all workers what they have
// measured, asks the law for the limit, and puts that in force.
type leader struct {
	*Fleet
	lease   *lease
	inbox   string // answers to the newest question come under it and asked
	asked   int64  // counts the questions
	replies chan *nats.Msg
	law     control.Controller

	crew   map[string]*member
	change int64 // of the limit

	limit    int       // asked for by the law, within the bounds
	allowed  int       // the MaxAckPending that was set last; 0 before that
	stands   int       // the limit, experiments left aside
	cleared  time.Time // no overhang from then on; zero before the first step
	at       time.Time
	idle     bool
	after    time.Duration
	soon     bool
	reading  control.Reading
	status   FleetStatus
	recorded time.Time
}

// A member is a worker as the leader knows it.
type member struct {
	newest report
	heard  time.Time
	gone   time.Time // until then its delayed messages count; zero while it answers
}

const (
	// leaderTick is the time between two readings: the law wants some in each of
	// its windows, which last 0.1 s at least, and what all of them cost together
	// is some milliseconds of one CPU a second.
	leaderTick = 40 * time.Millisecond
	// perWorker keeps what the leader of a large fleet reads to some 10,000
	// answers a second.
	perWorker = 100 * time.Microsecond
	idleTick  = 250 * time.Millisecond
	// answerMost is how long a reading waits for the last answer, in ticks.
	answerMost = 0.5
	// overhangMost bounds the wait for jobs that take longer than anybody waits.
	overhangMost = 10 * time.Second
	// memberGone is how long a worker may be silent before it counts as gone.
	memberGone = 2 * time.Second
	// recordEvery is how often the status is written while nothing is decided.
	recordEvery = time.Second
)

// lead moves the limit until ctx is done or the lease is lost.
func (f *Fleet) lead(ctx context.Context, l *lease) {
	d := &leader{Fleet: f, lease: l, inbox: f.js.Conn().NewInbox(), replies: make(chan *nats.Msg, 4096), crew: map[string]*member{}}
	sub, err := f.js.Conn().ChanSubscribe(d.inbox+".*", d.replies)
	if err != nil {
		f.c.logger.Error("cannot lead the fleet", "error", err)
		_ = pause.Sleep(ctx, f.lease())
		return
	}
	defer sub.Unsubscribe()
	// A worker that goes on at a change number of its predecessor would report
	// what it measured since another change.
	d.change = time.Now().UnixNano()
	d.begin(ctx)
	for ctx.Err() == nil && l.holds(ctx) {
		once, done := l.during(ctx)
		if err := d.step(once); err != nil && ctx.Err() == nil {
			f.c.logger.Warn("cannot move the limit of the fleet", "error", err)
		}
		done()
		_ = pause.Sleep(ctx, d.interval()) // the loop sees that ctx is done
	}
	if ctx.Err() == nil {
		f.c.logger.Info("another worker leads the fleet")
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.lease()/4)
	defer cancel()
	d.end(ctx)
}

// end gives the lease back. What was tried ends with who tried it.
func (d *leader) end(ctx context.Context) {
	if d.stands > 0 && d.stands != d.limit && d.lease.holds(ctx) {
		d.limit = d.stands
		once, done := d.lease.during(ctx)
		if info, err := d.look(once); err == nil {
			d.allow(once, info, time.Now())
		}
		done()
	}
	d.lease.giveBack(ctx)
}

// begin finds out where to go on: at the limit that the last leader came to.
func (d *leader) begin(ctx context.Context) {
	d.law = control.NewOverload(control.NewSearch())
	if d.Law != nil {
		d.law = d.Law()
	}
	least, most := d.bounds()
	d.limit = d.Start
	if s, err := LoadFleet(ctx, d.kv, d.stream, d.name); err == nil {
		d.status.Changes = s.Changes
		if s.Limit > 0 {
			d.limit = s.Limit
		}
	}
	d.ask()
	d.gather(ctx, d.answersEnd())
	if d.limit == 0 {
		// The CPUs of one worker, not of all: what is looked for is behind them, and
		// has not grown with their number. Coming from below costs some doublings.
		// From above it may be too late: 1,000 simulated workers of 4 CPUs, on a
		// downstream that thrashes beyond 24 jobs, took 17 times as long from their
		// sum as from 4. Where jobs used all CPUs, it was 1.6 times as long from 4, in a
		// run of forty jobs for each.
		d.limit = runtime.GOMAXPROCS(0)
	}
	d.limit = min(max(d.limit, least), most)
	d.at = time.Now()
}

// interval returns the time to the next step.
func (d *leader) interval() time.Duration {
	most := d.Fleet.lease() / 8 // half of it without a renewal, and another worker takes it
	if d.idle {
		return min(idleTick, most)
	}
	t := max(min(leaderTick, most), time.Duration(len(d.crew))*perWorker)
	if d.soon {
		t /= 2
	}
	return t
}

// answersEnd bounds the wait for answers: that of a worker which has left must not last as long
// as the lease may be acted upon, which is a quarter of its length at least, or nothing follows it.
func (d *leader) answersEnd() time.Duration { return d.Fleet.lease() / 8 }

// step takes one reading and puts the answer of the law in force.
func (d *leader) step(ctx context.Context) error {
	d.ask()
	d.gather(ctx, min(time.Duration(answerMost*float64(d.interval())), d.answersEnd()))
	info, err := d.look(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	d.idle = info.NumPending == 0 && d.inFlight() == 0
	switch {
	case d.idle:
		d.at = now // it teaches nothing, and does not pass
	case d.overhang(now, info.NumAckPending):
		d.at, d.reading = now, control.Reading{}
	default:
		d.read(now, info)
		if d.reading.At >= d.after {
			d.decide(now)
		}
	}
	err = d.allow(ctx, info, now)
	d.record(ctx, now)
	return err
}

// look returns what the server knows of the consumer, unless it says so when ctx is done: to
// change the consumer by that would undo what others have changed since.
func (d *leader) look(ctx context.Context) (*jetstream.ConsumerInfo, error) {
	info, err := d.c.consumer.Info(ctx)
	return info, cmp.Or(err, ctx.Err())
}

// overhang reports whether more jobs are in flight than the limit allows because
// there was none before, or another one. Their end would be taken for what the first
// limit of the law achieves: 250 of them once made a limit of 4 look so fast that
// none above was tried for seconds.
func (d *leader) overhang(now time.Time, pending int) bool {
	if d.cleared.IsZero() {
		d.cleared = now.Add(overhangMost)
	}
	if d.cleared.After(now) && pending <= d.limit+d.delayed(now) {
		d.cleared = now
	}
	return now.Before(d.cleared)
}

func (d *leader) ask() {
	d.asked++
	err := d.js.Conn().PublishMsg(&nats.Msg{Subject: d.subject, Reply: d.reply(), Data: encode(question{Worker: d.worker, Change: d.change})})
	if err != nil {
		d.c.logger.Warn("cannot ask the fleet", "error", err)
	}
}

// reply returns the subject of the answers to the newest question.
func (d *leader) reply() string { return d.inbox + "." + strconv.FormatInt(d.asked, 10) }

// gather takes the answers, until all workers that are known have answered the newest
// question or the time is over. One that is late counts, but is not an answer to that:
// taken for one, it would leave the next late as well, and all readings from then on
// would tell of the time before the limit changed.
func (d *leader) gather(ctx context.Context, most time.Duration) {
	began, reply := time.Now(), d.reply()
	missing := 0
	for _, m := range d.crew {
		if m.gone.IsZero() {
			missing++
		}
	}
	if missing == 0 {
		missing = math.MaxInt // nobody is known yet
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	for missing > 0 {
		select {
		case m := <-d.replies:
			if r, ok := decode[report](m.Data); ok && d.take(r, m.Subject == reply) {
				missing--
			}
		case <-timer.C:
			missing = 0
		case <-ctx.Done():
			return
		}
	}
	for name, m := range d.crew {
		switch {
		case !m.gone.IsZero() && began.After(m.gone):
			delete(d.crew, name)
		case m.gone.IsZero() && began.Sub(m.heard) > max(memberGone, 4*d.interval()):
			m.gone = m.heard.Add(m.newest.Wait)
			m.newest.InFlight = 0
		}
	}
}

// take adds what a worker has done since it last answered to the reading. It
// reports whether a worker that was known has answered the newest question.
func (d *leader) take(r report, newest bool) bool {
	m := d.crew[r.Worker]
	if m == nil {
		// What it did before this one led is not known to belong to the reading.
		m = &member{newest: r}
		d.crew[r.Worker] = m
	}
	t, old := &d.reading, &m.newest
	t.Completed += max(0, r.Completed-old.Completed)
	t.Overloads += max(0, r.Overloads-old.Overloads)
	t.Residence += max(0, r.Residence-old.Residence)
	t.Residence2 += max(0, r.Residence2-old.Residence2)
	t.Occupancy += max(0, r.Occupancy-old.Occupancy)
	known := m.gone.IsZero() && !m.heard.IsZero()
	m.newest, m.heard, m.gone = r, time.Now(), time.Time{}
	return known && newest
}

// inFlight returns how many jobs run in all workers.
func (d *leader) inFlight() int {
	n := 0
	for _, m := range d.crew {
		n += m.newest.InFlight
	}
	return n
}

// read completes the reading by what the server knows.
func (d *leader) read(now time.Time, info *jetstream.ConsumerInfo) {
	r := &d.reading
	dt := now.Sub(d.at)
	d.at = now
	r.At += dt
	r.Limit = d.limit
	r.Min, r.Max = d.bounds()
	r.InFlight = d.inFlight()
	r.Units, r.Timed = float64(r.Completed), r.Completed
	r.TimedSince, r.ResidenceSince, r.CPUs = 0, 0, 0
	for _, m := range d.crew {
		if !m.gone.IsZero() {
			continue
		}
		r.CPUs += float64(m.newest.CPUs)
		if m.newest.Change == d.change {
			r.TimedSince += m.newest.TimedSince
			r.ResidenceSince += m.newest.ResidenceSince
		}
	}
	// Requests wait at the server although there are messages: nothing but the
	// limit holds them back.
	r.Waiting = 0
	if info.NumPending > 0 && info.NumAckPending >= d.allowed {
		r.Waiting = info.NumWaiting
	}
	if r.Waiting > 0 {
		r.Bound += dt.Seconds()
	}
}

func (d *leader) decide(now time.Time) {
	r := d.reading
	answer := d.law.Next(r)
	d.soon = answer.Soon
	d.after = r.At + min(max(answer.After, 0), math.MaxInt64-r.At)
	n := min(max(answer.Limit, r.Min), r.Max)
	switch why := answer.Reason; why.Kind {
	case control.Grow, control.Shrink:
		d.stands = why.To
	case control.Probe, control.Stay:
		d.stands = why.From
	default:
		if !answer.Experiment {
			d.stands = n
		}
	}
	if answer.Reason.Kind != control.None {
		d.status.add(now, answer.Reason, r.Limit, n)
		d.recorded = time.Time{}
	}
	if n != d.limit {
		d.limit = n
		d.change++
	}
}

// allow sets the consumer's MaxAckPending to the limit, and to as many more as wait
// for another try: those count there, but nobody works on them.
func (d *leader) allow(ctx context.Context, info *jetstream.ConsumerInfo, now time.Time) error {
	n := d.limit + d.delayed(now)
	if info.Config.MaxAckPending == n {
		d.allowed = n
		return nil
	}
	cfg := info.Config
	cfg.MaxAckPending = n
	if _, err := d.js.UpdateConsumer(ctx, d.stream, cfg); err != nil {
		return err
	}
	d.allowed = n
	return nil
}

// delayed returns how many messages wait for another try.
func (d *leader) delayed(now time.Time) int {
	n := 0
	for _, m := range d.crew {
		if m.gone.IsZero() || now.Before(m.gone) {
			n += m.newest.Delayed
		}
	}
	return n
}

// record writes the status down where all can read it.
func (d *leader) record(ctx context.Context, now time.Time) {
	if now.Sub(d.recorded) < recordEvery {
		return
	}
	s := &d.status
	s.Leader, s.At, s.Limit = d.worker, now, d.limit
	if d.stands > 0 {
		s.Limit = d.stands
	}
	s.Workers = 0
	for _, m := range d.crew {
		if m.gone.IsZero() {
			s.Workers++
		}
	}
	s.InFlight = d.inFlight()
	s.Completed, s.Overloads = d.reading.Completed, d.reading.Overloads
	if _, err := d.kv.Put(ctx, d.key("status"), encode(s)); err != nil {
		d.c.logger.Warn("cannot record the status of the fleet", "error", err)
		return
	}
	d.recorded = now
}
