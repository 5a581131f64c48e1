// Package kaburaya bounds concurrency by a semaphore that finds its own limit
// from the CPU usage. It has the face and the law of the talk "GopherCon 2019:
// Optimization for Number of goroutines Using Feedback Control" by Yusuke Miyake:
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
// How many goroutines are best depends on the work and on the machine, and
// nobody knows it in advance. So the number is controlled: the CPU usage that
// the work can reach at most is the target, and two nested loops work towards
// it. The inner loop, a PID controller, changes the limit until the usage is at
// the set point. The outer loop moves the set point: up when the usage has
// changed a lot, since a new upper limit may be in reach, and a little down when
// the usage has stopped changing, to find the fewest goroutines that reach it.
// The law itself is [control.DynamicTarget].
//
// # What is different from the published implementation
//
// The law is the same where it has something to go by. The faults around it are
// not here:
//
//   - Any number of goroutines may wait, and each Signal wakes one of them, in
//     order. The semaphore is that of package limit.
//   - Stop ends the goroutine that adjusts the limit.
//   - The limit has a maximum: see [Max]. Memory, threads and files
//     lower it further where the sensor sees them run short.
//   - While nothing runs the limit stays. Rest is not a low usage.
//   - Work that uses no CPU cannot be judged by its CPU usage. The limit is not
//     lowered for that; it goes up by one each period while somebody waits.
//   - The limit rises only if somebody had to wait.
//   - At a limit of 1 the law tries no lower one, but would stay there as long as
//     the usage is the same. After ten periods in which somebody waited it
//     starts again.
//
// # When to use it
//
// To reproduce the talk, or where CPU usage is all there is to go by. It knows
// usage only, not throughput, and mistakes one for the other when work is
// slowed down by being done concurrently. The Limiter of the package sweetspot
// measures throughput, needs no Stop, and finds better limits.
package kaburaya
