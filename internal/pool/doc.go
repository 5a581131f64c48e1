// Package pool runs long-lived workers that share the values submitted to them.
//
// A worker is one call of a function that ranges over its values. It claims batches from a
// queue, and parks within its range when there is nothing to do or the limit has fallen,
// so that the function keeps its local variables. The sizes of batches, the history of the
// function, and what is reported to a limiter are those of package call. Three things
// differ: any number of goroutines push values, no caller works, and workers stay when
// there is no work.
package pool
