// Package control decides how many units of work should be in flight.
//
// # The loop
//
// A feedback loop has four parts: the work, a limiter that admits at most so
// many units at a time, sensors, and a controller. This package is the last of
// them, and only that: it knows no sensor and no limiter. Once a tick, about
// every 10 ms, somebody who has both asks it:
//
//	d := law.Next(reading)
//	limiter.SetLimit(d.Limit)
//
// A [Reading] is what the sensors say at one instant: counters that only grow,
// so that the difference of two readings describes the window between them. A
// [Decision] is the limit to put in force, when to ask again, whether it is an
// experiment, and a [Reason] in numbers and in words. A [Controller] turns one
// into the other. It is deterministic, reads no clock, starts no goroutine and
// needs no Close, which makes it as easy to test as a function: package sim
// runs controllers against simulated machines, in virtual time.
//
// A Reading also carries the bounds and vetoes in force (Min, Max), and what other
// loops do that may share a bottleneck (Others). Limits outside the
// bounds are clamped by the caller; the law sees the result in the next Reading.
//
// # Which law
//
//   - [Search], the default. It finds the limit with the most throughput and,
//     among equals, the fewest units, by experiment. It needs no number from
//     anybody. The package's README follows it file by file:
//     https://github.com/sweetspot-go/sweetspot/blob/main/control/README.md
//   - [Latency], for servers: work arrives whether there is room or not, and answers
//     must come in time. It finds the limit at which nobody queues behind it, and
//     keeps a quantile of the time in flight below a target if there is one.
//   - [Overload] keeps any law below the limit at which the work says "too much", and
//     bears what is refused whatever the limit. A Limiter's default is
//     NewOverload(NewSearch()), that of a server NewOverload(NewLatency()).
//   - [Fixed]: a number that you know better, and the yardstick for the others.
//   - [FixedTarget]: holds the CPU usage at a percentage. For work in the
//     background that must leave part of a machine to others.
//   - [Step] and [DynamicTarget]: the laws of the talk "Optimization for Number
//     of goroutines Using Feedback Control" (Yusuke Miyake, GopherCon 2019), to
//     be compared with. They see CPU usage and not throughput, so work that
//     mostly waits leads them astray.
//   - [AIMD], [Vegas], [Gradient2] and [HillClimbing]: what others use, in its
//     published form. AIMD suits work that says when it is too much and shares
//     with others who do the same; the next two keep queues, and so times in
//     flight, short where units are alike; the last is that of the .NET thread
//     pool. The README says what they are worth beside Search.
//
// [ByName] makes any of them but Latency from a name, for flags and configuration
// files.
//
// [PID] is a building block, not a Controller: it has no set point.
//
// # Replicas
//
// The same question one size up: how many replicas of a service there should
// be. A [Scaler] turns a [ReplicaReading] into a [ReplicaDecision]; somebody
// who counts requests and can start replicas asks it every 15 s or so.
//
//   - [Demand] works the number out from the requests that arrive and the time
//     that they take, by queueing theory. It needs no threshold and learns how
//     long a replica takes to start.
//   - [HPA]: the threshold autoscaler of Kubernetes, to be compared with.
//   - [Compensated]: the autoscaler by the author of the talk above.
//
// On the services of package sim requests wait at most 0.36 of the time with
// Demand that they wait with HPA, for 0.67 to 1.01 of the replica-seconds.
//
// # Writing one
//
// A law of your own is a type with a Next method. Take differences of
// counters over at least 100 ms, for CPU clocks advance in steps of 10 (where
// Reading.Tick is set, that of this process is finer); leave out what was
// admitted under an older limit; raise nothing while the limit holds nobody
// back (Bound); answer with a limit of at least 1. Then let package sim judge
// it on the scenarios that Search is judged on.
package control
