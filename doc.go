// Package sweetspot finds how much work should run at a time: the number with the most
// throughput and, among equals, the fewest units in flight. You do not set the number,
// and it follows when the work or the machine changes.
//
// The calls [Map], [ForEach], [Reduce], [Workers], [MapSeq], [Walk], [Join] and their
// variants do that for a slice, a range of numbers, a sequence, a graph or a recursion.
// A call takes at most 5 % and 1 µs longer than the plain loop, besides 3 to 5 ns that
// [MapSeq] takes for each value and [Join] for each split:
//
//	pages, err := sweetspot.Map(ctx, urls, fetch)
//
// A [Limiter] does it for everything else:
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
//   - [Workers] and [WorkersRange] give each goroutine a share to range over, so that
//     each can keep its own state.
//   - [MapSeq] and [ForEachSeq] take the values of an iterator.
//   - [Walk] visits what can be reached in a graph.
//   - [Join] runs the two halves of a recursion.
//   - [Group] is golang.org/x/sync/errgroup with more, and [Pool] a set of long-lived
//     workers.
//
// See [Map] for the shared rules. The first error in time ends a call. Cancelling
// returns the cause. A panic in a callback becomes a panic of the caller with a
// [*PanicError]. Nothing of a call runs after it has returned.
//
// # How many goroutines a call uses
//
// The calling goroutine does the work itself, chunk by chunk, and measures it. A chunk
// grows until it lasts about 64 µs, so that the overhead (clock, cancelling) is paid
// once for many items. Slow items go one by one. If the call lasts long enough, two
// things follow:
//
//  1. Helpers start one after the other, up to GOMAXPROCS, while the estimated remaining
//     work is at least 0.1 ms per goroutine. A parked thread takes that long to start
//     running. So CPU-bound work has all its goroutines within a fraction of a
//     millisecond, and short work has none.
//  2. After 3 ms, or 20 ms where items take less than 1 ms, the call gets a Limiter of
//     its own. Work that computes leaves no CPU idle, and the law stays where it is.
//     Work that waits leaves CPUs idle while each step gains throughput, so the law
//     doubles. Its windows last one and a half times an item, at least 10 ms.
//
// The cost of an item and the limit found are remembered for each function (for some
// hundreds of them), as the first guess of its next call. If two calls in a row found
// about the same cost, a third with an estimated 2 ms of work has its helpers, or its
// Limiter, from the start.
//
// [Fixed] and a shared Limiter replace both. Give one Limiter to all calls that use the
// same bottleneck: each of their goroutines holds a permit while it works, the caller
// included. The context given to callbacks carries the permit, so a call inside a call
// works under the permit of the outer one, and cannot wait for itself.
//
// # What a Limiter is
//
// A [Limiter] is a semaphore whose limit moves. [Limiter.Do] runs a function with a
// permit. [Limiter.Acquire] and [Limiter.Release] serve work that cannot be wrapped in
// a function. Permits are granted first come, first served, never more than the limit.
// None is lost to a cancelled context, a panic or a Goexit.
//
// Make one Limiter for each bottleneck, share it, and keep it, because it holds what
// has been learnt. Different kinds of work behind one Limiter get one limit for the
// mixture.
//
// What a Limiter has learnt is lost when the process ends, unless the Limiter has a
// [Memory]: see [Remember].
//
// Prefer Do to Acquire and Release where units take equally long. They finish in waves,
// so their count says little; their time in flight shows the throughput.
// [Limiter.Begin] and [Unit.End] time units that cannot be wrapped.
//
// # How it decides
//
// The folders of this module are the blocks of a feedback loop. The work is the plant.
// Package limit is the actuator. Package sense reads CPUs, scheduler, memory and files.
// Package control holds the laws, which turn readings into decisions. A Limiter closes
// the loop: about a hundred times a second, while units are in flight, it asks its law
// for the limit.
//
// The law is [control.Search] within [control.Overload] unless [Controller] says
// otherwise. It measures at one limit, then at another, and moves only on evidence:
// first by doubling, then in small steps around the best, and now and then far above.
// Package control describes it and the laws that it was compared with.
// [Limiter.Decisions] lists what was decided and why:
//
//	for _, c := range l.Decisions() {
//		fmt.Println(c.At, c.Reason) // 1.2s doubled 8→16: +94 % throughput
//	}
//
// It learns only while the limit is binding, that is, while a caller waits for a
// permit. With less work than permits it has no reason to go up. Its limit never exceeds
// what memory, threads, open files and processes allow, as the sensor says; a decision
// of kind [control.Vetoed] names the resource.
//
// [MaxP99] bounds the time that units take. [Observe] runs the law without moving the
// limit. [Limiter.SetLimit] sets the limit manually, and [Limiter.Auto] hands it back to
// the law.
//
// # Outcomes and weights
//
// Only success is throughput: a unit is [Done], [Ignored] or [Overloaded]. [Classify]
// defines which errors mean that there was too much at once.
//
// If units differ greatly in size, weigh them: [WeightOf] does so for the items of a
// call, [Limiter.DoWeight] and [Unit.End] for other units. A [Budget] bounds the weights
// in flight, such as bytes of memory.
//
// # Watching it
//
// A Limiter with a [Name] is one of [Limiters]: package dash shows them on a live page,
// contrib/prometheus and contrib/otel in metrics. [Logger] writes each decision to a
// log.
//
// # Several Limiters
//
// A program may have any number of Limiters. They experiment side by side. Limiters
// whose units queue may share a bottleneck, so each of them counts what the others lose
// while it tries another limit. Several processes do so if they agree on a name:
// [Share].
//
// For work inside work, use one Limiter for both levels and nest Do, or two Limiters in
// a fixed order. Two that are acquired in either order can deadlock, as two mutexes
// would.
//
// # Testing with synctest
//
// Waiting for a permit is durably blocking, and all time is that of package time. So a
// Limiter works in a testing/synctest bubble, and does not keep the bubble from ending.
// Virtual time passes much faster than CPU time. If the limit found matters to the
// test, give the Limiter a sensor of your own by [Sensor]; if not, use SetLimit. A
// Limiter may be used in one bubble after another, but not in two at a time, and not
// across the end of one with units in flight.
//
// # Cost
//
// A unit should be worth at least a few microseconds: [Limiter.Acquire], [Limiter.Begin]
// and [Limiter.Do] say what each costs. While units are in flight, the loop takes about
// 10 µs a hundred times a second. At rest it costs nothing: it has no goroutine and no
// timer, and needs no Close. A permit that is never given back keeps the loop running. The law
// decides by units that finish: the longer they take, the longer it searches.
//
// # When to use something else
//
//   - The limit is known and must not be exceeded, as with a contract or a licence:
//     SetLimit, [Fixed], or golang.org/x/sync/semaphore.
//   - The limit is on requests per second: golang.org/x/time/rate.
//   - A server should refuse what it cannot serve in time: httplimit.Server, or
//     contrib/grpc, with control.Latency. The default law maximises throughput and lets
//     the rest wait.
//   - You want a semaphore whose limit you move yourself: package limit.
package sweetspot
