// Package panics carries a panic or a Goexit from the goroutine in which it
// happens to the goroutine that waits for it.
//
// A goroutine that runs a callback defers a function that calls [Caught] if the
// callback has not returned. The goroutine that waits calls [Failure.Resume],
// which panics or exits as the callback did, and returns if it did neither:
//
//	var failure panics.Failure
//	go func() {
//		defer close(done)
//		returned := false
//		defer func() {
//			if !returned {
//				failure = panics.Caught(recover(), wrap)
//			}
//		}()
//		callback()
//		returned = true
//	}()
//	<-done
//	failure.Resume()
package panics
