// Package dash is a live page of the Limiters of a program. For each Limiter with a
// name (see [sweetspot.Name]) it shows limit, units in flight, waiting callers,
// throughput and CPU usage over time, and every decision with its reason.
//
// Import it, as you would net/http/pprof, if the program serves [http.DefaultServeMux]
// somewhere:
//
//	import _ "github.com/sweetspot-go/sweetspot/dash"
//
// The page is then at /debug/sweetspot/. A [Handler] serves it at any path that ends in
// a slash:
//
//	mux.Handle("/limits/", dash.Handler())
//
// # Access
//
// A page shows names, numbers and reasons to everyone who can reach its address; put it
// where you would put /debug/pprof. It changes nothing without [Control]. With Control,
// limits can be set manually, frozen at their present value, and handed back to the
// law. Such a page refuses requests that another site makes a browser send
// ([http.CrossOriginProtection]). It answers only to IP addresses, localhost and the
// names given to Control, so that a foreign name pointed at its address does not work.
// It has no login; if you need one, put the handler behind one that has.
//
// A page without Control answers to every host name, as /debug/pprof does, because a
// proxy in front of it may pass on the name of its site. So a foreign site whose name
// points at this address (DNS rebinding) can read the page through the browser of a
// user who can reach it, unless a proxy in front checks the Host.
//
// The page loads nothing from elsewhere, and its Content-Security-Policy allows scripts
// and styles from its own files only.
//
// # History
//
// A page measures once a second, and only while it is watched: while a browser shows
// it, while a program reads its streams, or while [Page.Record] runs. It keeps no
// goroutine for that. A measurement is one call of [sweetspot.Limiter.Stats] per
// Limiter. The page keeps the newest 3,600 points of each Limiter, an hour. With more
// than 100 Limiters it keeps proportionally less, but at least 60, a minute. Up to
// 3,000 Limiters take less than 20 MB; from 6,000 on it is 4 kB for each, without a
// bound. A page that is opened again shows the earlier history, with a gap, and always
// the last 256 decisions, because a Limiter keeps those itself. To have the hour before
// as well, let the page record:
//
//	page := dash.Handler()
//	go page.Record(ctx)
//
// A Limiter that is no longer used disappears from the page with its history after a
// garbage collection; a page keeps none alive.
//
// # For programs
//
// Besides the page there are three things to read below its path. All carry the member
// "schema", 1. It grows when a member changes its meaning or is removed; new members
// may appear without that. Figures are null if nothing was measured.
//
// limiters.json lists all Limiters as they are now:
//
//	{"schema": 1, "program": "crawler", "control": false, "time": 1767225600000,
//	 "limiters": [{
//	   "id": "fetch",       unique on this page: the name, or "fetch~2" for a second one of that name
//	   "name": "fetch",
//	   "limit": 16, "in_flight": 16, "waiting": 240,
//	   "manual": false,    the limit was set manually
//	   "rate": 812.5,       weight of units done per second; over about the last second
//	   "own_cpu": 1.25,     CPUs that this work kept busy; null at rest
//	   "machine_cpu": 1.5,  own_cpu and what others take of cpus; null at rest
//	   "cpus": 8,           CPUs available; null before the first measurement
//	   "completed": 10000, "ignored": 2, "overloads": 0,
//	   "active": 12.500,    seconds with work in flight since New
//	   "decisions": 14,     since New
//	   "why": "doubled 8→16: +94 % throughput"
//	 }]}
//
// "time" is in milliseconds since 1970, here and below.
//
// history.json?limiter=ID is the history of one Limiter, oldest first, in columns of
// equal length. Points are a second apart except in gaps.
//
//	{"schema": 1, "limiter": "fetch",
//	 "time": [...], "limit": [...], "in_flight": [...], "waiting": [...],
//	 "rate": [...], "own_cpu": [...], "machine_cpu": [...],
//	 "changes": [{
//	   "seq": 14,           counts the decisions of this Limiter since New
//	   "time": 1767225600000, or null: before the page was first watched
//	   "active": 12.500,    seconds with work in flight, until then
//	   "from": 8, "to": 16,
//	   "kind": "grow",      as control.Kind says
//	   "why": "doubled 8→16: +94 % throughput"
//	 }]}
//
// events?limiter=ID is a stream of server-sent events. It begins with "limiters" and,
// if that Limiter exists, "history", whose data are the two above; without an ID it is
// the first Limiter. Then "limiters" comes once a second, followed by "changes" if
// there were decisions: {"schema": 1, "limiter": ID, "changes": [...]}. "history" comes
// again when another Limiter takes over the ID. A reader that reconnects gets
// everything from the beginning, so it cannot miss anything. A stream ends when the
// server shuts down, within a second if its reader hangs.
//
// limit takes a POST of application/json if Control allows it, and answers with
// {"schema": 1, "limit": 16, "manual": true}:
//
//	{"limiter": "fetch", "action": "set", "limit": 16}
//	{"limiter": "fetch", "action": "freeze"}
//	{"limiter": "fetch", "action": "auto"}
//
// # Cost
//
// With 100 Limiters that all make decisions, a measurement takes about 1.5 ms, and each
// stream 1 ms for its events: 0.25 % of one CPU. While the page is not watched it costs
// nothing.
package dash
