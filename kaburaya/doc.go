// Package kaburaya bounds concurrency by a semaphore that finds its own limit from the
// CPU usage. It has the API and the law of the talk "GopherCon 2019: Optimization for
// Number of goroutines Using Feedback Control" by Yusuke Miyake:
//
//	sem := kaburaya.NewSem(100*time.Millisecond, 0.1)
//	defer sem.Stop()
//	var wg sync.WaitGroup
//	for _, task := range tasks {
//		sem.Wait()
//		wg.Go(func() {
//			defer sem.Signal()
//			work(task)
//		})
//	}
//	wg.Wait()
//
// # The idea
//
// The best number of goroutines depends on the work and on the machine, and is not
// known in advance. So the number is controlled: the target is the highest CPU usage
// that the work can reach, and two nested loops work towards it. The inner loop, a PID
// controller, changes the limit until the usage is at the set point. The outer loop
// moves the set point. When the usage has changed a lot, it moves up, because a new
// upper limit may be in reach. When the usage has stopped changing, it moves a little
// down, to find the fewest goroutines that reach it. The law itself is
// [control.DynamicTarget].
//
// # What is different from the published implementation
//
// Where the law has a signal to act on, it is the same. The faults around it are fixed.
// [AsPublished] brings those of the law back, from the fourth point on:
//
//   - Any number of goroutines may wait, and each Signal wakes one of them, in order.
//     The semaphore is that of package limit.
//   - Stop ends the goroutine that adjusts the limit.
//   - The limit has a maximum: see [Max]. Memory, threads and files lower it further if
//     the sensor sees them run short.
//   - While nothing runs the limit stays. Idleness is not a low usage.
//   - CPU usage cannot judge work that uses no CPU. The limit is not lowered for that;
//     it goes up by one each period while a caller waits.
//   - The limit rises only if a caller had to wait.
//   - At a limit of 1 the published law tries no lower one, but would stay there as
//     long as the usage is the same. Here it starts again after ten periods in which a
//     caller waited.
//
// # When to use it
//
// Use it to reproduce the talk, or where CPU usage is the only signal. It knows usage,
// not throughput, and confuses the two when concurrency slows the work down. The
// Limiter of package sweetspot measures throughput, needs no Stop, and finds better
// limits.
package kaburaya
