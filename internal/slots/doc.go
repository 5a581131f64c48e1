// Package slots bounds how many functions run at the same time, by a limit that
// may change at any time.
//
// [Slots] is a counting semaphore with two additions. [Slots.Wait] blocks until
// nothing is taken, as a sync.WaitGroup does. And a goroutine that gives its
// slot back may get the function of a waiting caller in return and run it at
// once, so that serving a waiter needs neither a new goroutine nor a wake-up
// before the work goes on.
package slots
