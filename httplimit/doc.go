// Package httplimit limits how many HTTP requests are under way at a time, to a
// number that it finds by itself.
//
// # Clients
//
// A [Transport] is for those who send requests:
//
//	client := &http.Client{Transport: &httplimit.Transport{}}
//
// Let as many goroutines send as there is work; each host gets as many requests
// at a time as do well there, by a [sweetspot.Limiter] of its own. What the host
// answers with 429 or 503, or not in time, makes the number smaller, and a
// Retry-After is waited for; a number that brings no more answers than a smaller one gives way to that as
// well.
package httplimit
