// Package control decides how many units of work should be in flight.
//
// # The loop
//
// A feedback loop has four parts: the work, a limiter that bounds the units in flight,
// sensors, and a controller. This package is the controller only: it knows no sensor
// and no limiter. Once a tick, about every 10 ms, its owner asks it:
//
//	d := law.Next(reading)
//	limiter.SetLimit(d.Limit)
//
// A [Reading] is what the sensors say at one instant. Its counters only grow, so the
// difference of two readings describes the window between them. A [Decision] is the
// limit to put in force, when to ask again, whether it is an experiment, and a [Reason]
// in numbers and in words. A [Controller] turns one into the other. It is
// deterministic, reads no clock, starts no goroutine and needs no Close. So it is as
// easy to test as a function: package sim runs controllers against simulated machines,
// in virtual time.
//
// A Reading also carries the bounds and ceilings in force (Min, Max), and what other
// loops do that may share a bottleneck (Others). The caller clamps limits outside the
// bounds; the law sees the result in the next Reading.
//
// # Which law
//
//   - [Search], the default. It finds the limit with the most throughput and, among
//     equals, the fewest units, by experiment. It needs no parameters. The package's
//     README follows it file by file:
//     https://github.com/sweetspot-go/sweetspot/blob/main/control/README.md
//   - [Latency], for servers: work arrives whether there is room or not, and answers
//     must come in time. It finds the limit at which no queue builds up. For a bound on
//     the time in flight, wrap it in Objective.
//   - [Overload] keeps any law below the limit at which the work says "too much", and
//     tolerates what is refused at any limit. A Limiter's default is
//     NewOverload(NewSearch()), that of a server NewOverload(NewLatency()).
//   - [Objective] keeps any law at limits where 99 in 100 units take no longer than a
//     given time, and says so if no limit brings that.
//   - [Fixed]: a number that you know better, and the reference for the others.
//   - [FixedTarget]: holds the CPU usage at a percentage. For background work that must
//     leave part of a machine to others.
//   - [Step] and [DynamicTarget]: the laws of the talk "Optimization for Number of
//     goroutines Using Feedback Control" (Yusuke Miyake, GopherCon 2019), for
//     comparison. They see CPU usage and not throughput, so work that mostly waits
//     misleads them.
//   - [AIMD], [Vegas], [Gradient2] and [HillClimbing]: laws of other systems, in their
//     published form. AIMD suits work that says when it is too much and shares with
//     others that use AIMD. The next two keep queues, and so times in flight, short
//     where units are alike. The last is that of the .NET thread pool. The page laws.md
//     beside the README compares them with Search.
//
// [ByName] makes any of them but Latency and Objective from a name, for flags and
// configuration files.
//
// [PID] is a building block, not a Controller: it has no set point.
//
// # Replicas
//
// The same question at a larger scale: how many replicas of a service should run. A
// [Scaler] turns a [ReplicaReading] into a [ReplicaDecision]. A program that counts
// requests and can start replicas asks it every 15 s or so.
//
//   - [Demand] computes the number from the requests that arrive and the time that they
//     take, by queueing theory. It needs no threshold and learns how long a replica
//     takes to start.
//   - [HPA]: the threshold autoscaler of Kubernetes, for comparison.
//   - [Compensated]: the autoscaler by the author of the talk above.
//
// On the services of package sim, requests wait with Demand at most 0.36 of the time
// that they wait with HPA, for 0.67 to 1.01 of the replica-seconds.
//
// # Writing a law
//
// A law of your own is a type with a Next method. Take differences of counters over at
// least 100 ms, because CPU clocks advance in steps of 10 ms (if Reading.Tick is set,
// the clock of this process is finer). Leave out what was admitted under an older
// limit. Raise nothing while the limit is not binding (Bound). Answer with a limit of
// at least 1. Then let package sim judge it on the scenarios that Search is judged on.
package control
