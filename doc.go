// Package sweetspot finds how much work should run at a time, by itself: the
// number with the most throughput and, among equals, the fewest units in
// flight. Nobody sets it, and it follows when the work or the machine changes.
//
// The calls [Map], [ForEach], [Reduce], [Workers], [MapSeq], [Walk], [Join] and
// their kin do that for a slice, a range of numbers, a sequence, a graph or a
// recursion, and are never slower than the plain loop:
//
//	pages, err := sweetspot.Map(ctx, urls, fetch)
//
// A [Limiter] does it for work that has a shape of its own:
//
//	l := sweetspot.New()
//	for _, url := range urls {
//		wg.Go(func() {
//			err := l.Do(ctx, func(ctx context.Context) error {
//				return fetch(ctx, url)
//			})
//			...
//		})
//	}
//	wg.Wait()
//
// # Parallel calls
//
//   - [Map] and [ForEach] call a function with each element of a slice, [ForEachIndex]
//     with each number of a range.
//   - [Reduce] and [ReduceRange] fold a slice, or a range of numbers.
//   - [Workers] and [WorkersRange] give each goroutine a share to range over, for state
//     that a goroutine keeps to itself.
//   - [MapSeq] and [ForEachSeq] take the values of an iterator.
//   - [Walk] visits what can be reached in a graph.
//   - [Join] runs the two halves of a recursion.
//   - [Group] is golang.org/x/sync/errgroup with more, and [Pool] a set of
//     long-lived workers.
//
// Nothing of a call runs after it has returned. What they have in common is said
// at Map: the first error in time ends a call, cancelling returns the cause, a
// panic in a callback becomes a panic of the caller with a [*PanicError], and
// what a change of the limit does.
//
// # How many goroutines a call uses
//
// The calling goroutine does the work itself, chunk by chunk, and measures it.
// A chunk grows until it lasts some 64 µs, so that clock, cancelling and
// everything else is paid once for many items, and slow items go one by one.
// Then comes, in this order and only if the call lasts that long:
//
//  1. One helper after the other, up to GOMAXPROCS, as soon as the work left, by
//     what its items have cost so far, gives each of them 0.1 ms to do: that is
//     what it takes until a parked thread runs. Work that keeps the CPUs busy
//     thus has all goroutines it can use within a fraction of a millisecond, and
//     none if there is too little of it.
//  2. After 3 ms, or 20 ms where items take less than 1 ms, a Limiter of the
//     call's own, with the law and the sensors that every Limiter has. They see
//     the difference between work that computes and work that waits: the former
//     leaves no CPU idle, and the law stays where it stands; the latter leaves
//     them idle while its throughput grows with each step, so the law doubles,
//     after windows of one and a half times what an item takes, 10 ms at least.
//
// There is no flag for either. What was found, the cost of an item and the
// limit, is remembered for each function (for some hundreds of them) as the
// first guess of its next call. If two calls in a row found about the same cost,
// and a call has 2 ms of work by it, that one has the helpers it can use, or its
// Limiter, from its first moment on.
//
// [Fixed] and a shared Limiter replace both. Give one Limiter to all calls that
// use the same bottleneck: each of their goroutines holds a permit while it
// works, the caller included. The context that callbacks get carries the permit,
// so that a call inside a call works under the permit of the outer one, and
// cannot wait for itself.
//
// # What a Limiter is
//
// A [Limiter] is a semaphore whose limit moves. [Limiter.Do] runs a function
// with a permit; [Limiter.Acquire] and [Limiter.Release] are for work that is no
// function. Permits are handed out in first-come order, never more than the
// limit, and none is lost to a cancelled context, a panic or a Goexit.
//
// Make one Limiter for each kind of work that shares a bottleneck, keep it, and
// share it: what it has learnt is in it. Work of different kinds behind one
// Limiter gets one limit for the mixture.
//
// Do beats Acquire and Release where units are of even length: they finish in
// waves, and only their time in flight shows the throughput without counting
// waves. [Limiter.Begin] and [Unit.End] time units that cannot be wrapped.
//
// # How it decides
//
// The folders of this module are the blocks of a feedback loop. The work is the
// plant; package limit the actuator; package sense reads CPUs, scheduler, memory
// and files; package control holds the laws, which turn readings into decisions.
// A Limiter closes the loop: about a hundred times a second, while units are in
// flight, it asks its law for the limit.
//
// The law is [control.Search] within [control.Overload] unless [Controller]
// says otherwise. It measures at one limit, then at another, and moves only on
// evidence: doubling first, then in small steps around the best, and now and then
// far above. Package control describes it, and the laws that it was compared with.
// [Limiter.Decisions] lists what was decided and why:
//
//	for _, c := range l.Decisions() {
//		fmt.Println(c.At, c.Reason) // 1.2s doubled 8→16: +94 % throughput
//	}
//
// It learns only where the limit binds, that is, while somebody waits for a
// permit. While there is less work than permits it has no reason to go up.
//
// [Observe] runs the law without moving the limit, for those who look before
// they trust. [Limiter.SetLimit] sets the limit manually, and [Limiter.Auto] hands it back
// to the law.
//
// # Outcomes
//
// Only what succeeds is throughput. [Done] counts. [Ignored] is for units that
// failed by themselves or were cancelled: were they counted, fast failures
// would look like speed. [Overloaded] says that there was too much at once (a
// 429, a timeout, out of memory). Where there is more of that than usual, the
// default law asks whether a lower limit has less. If so, it finds where refusals
// begin and stays right below; if not, the limit is not to blame and comes back. One
// in 200 is let pass. Do takes nil for Done and any error for Ignored; [Classify]
// tells it which errors mean too much.
//
// # Seeing it
//
// A Limiter with a [Name] is one of [Limiters]: package dash shows them on a live
// page, and contrib/prometheus and contrib/otel in metrics. [Logger] writes
// each decision to a log, [Limiter.Decisions] lists them.
//
// # Weights
//
// Where units are of very different size, say how large each was with
// [Unit.End]: bytes, rows, pixels. Throughput is then
// the sum of weights, and a few large units do not look like a slow time.
// Weigh all units of a Limiter or none.
//
// # Vetoes
//
// An automatic number must not take the machine down. The sensor says how many
// units memory (GOMEMLIMIT, cgroups, what the machine has left), threads, open
// files and processes allow. The limit stays at or below that, whatever the law
// or [Min] say, and a change of kind [control.Vetoed] tells which resource it
// was. A limit set manually is yours to answer for.
//
// # Several Limiters
//
// A program may have any number. They experiment side by side. Limiters whose units
// queue may share a bottleneck, so each of these counts what the others lose while it
// tries another limit. Several processes do so if they agree on a name: [Share]. For work inside work, use one Limiter for both levels and nest
// Do, or two Limiters with a fixed order; two that are acquired in either order
// deadlock as two mutexes would.
//
// # Testing with synctest
//
// Waiting for a permit is durably blocking, and all time is that of package
// time, so a Limiter works in a testing/synctest bubble; it does not keep the
// bubble from ending. Virtual time passes much faster than CPU time, hence give
// it a sensor of your own by [Sensor] if the limit found matters to the
// test, or SetLimit if it does not. A Limiter may be used in one bubble after
// another, but not in two at a time, and not across the end of one with units
// in flight.
//
// # Cost
//
// Acquire and Release take some 10 ns each while permits are free, one atomic
// operation, and allocate nothing. Begin and End add two clock readings and a
// mutex, Do also one allocation. The loop takes some 10 µs a hundred times a
// second, a thousandth of one CPU, while units are in flight, and nothing at
// rest: there is no goroutine, no timer and no Close. The first unit after a
// rest starts the loop, which takes about as long. A permit that is never given
// back keeps the loop running.
//
// So a unit should be worth a few microseconds at least. The law decides by units
// that finish: the longer they take, the longer it searches.
//
// # When to use something else
//
//   - The limit is known and must not be exceeded for other reasons than speed,
//     such as a contract or a licence: SetLimit, [Fixed], or golang.org/x/sync/semaphore.
//   - Requests per second are to be limited, not units at a time:
//     golang.org/x/time/rate.
//   - A server should refuse what it cannot serve in time: httplimit.Server, or
//     contrib/grpc, with control.Latency. The default law seeks throughput and lets
//     the others wait.
//   - Units need several permits at once: golang.org/x/sync/semaphore.
//   - A semaphore with a limit that you move yourself: package limit.
package sweetspot
