// Package dash is a live page of the Limiters of a program: for each that has a
// name (see [sweetspot.Name]) its limit, what is in flight, what waits, the
// throughput and the CPU usage over time, and every decision with its reason.
//
// Importing it is enough, as with net/http/pprof, where the program serves
// [http.DefaultServeMux] somewhere:
//
//	import _ "github.com/sweetspot-go/sweetspot/dash"
//
// The page is then at /debug/sweetspot/. A [Handler] goes anywhere else, at a
// path that ends in a slash:
//
//	mux.Handle("/limits/", dash.Handler())
//
// # Who may look, and who may change what
//
// A page shows names, numbers and reasons, to everybody who can reach its
// address; put it where /debug/pprof would be. It changes nothing, unless
// [Control] says that it may: then limits can be set manually, frozen where they
// stand, and handed back to the law. Such a page refuses what another site makes
// a browser send ([http.CrossOriginProtection]), and names that somebody pointed
// at its address: it answers only to IP addresses, localhost and the names given
// to Control. It does not ask who it is that comes; where that matters, put the
// handler behind one that does.
//
// A page without Control answers to every host name, as /debug/pprof does, for a
// proxy in front of it may pass on that of its site: so a foreign site whose name
// is made to point at this address (DNS rebinding) can read the page through the
// browser of somebody who can reach it, unless what is in front checks the Host.
//
// The page loads nothing from elsewhere, and its Content-Security-Policy allows
// scripts and styles from its own files only.
//
// # What is remembered
//
// A page measures once a second, and only while somebody looks: while a browser
// shows it, while a program reads its streams, or while [Page.Record] runs. No
// goroutine is kept for it. A measurement is one call of [sweetspot.Limiter.Stats]
// for each Limiter. Of each the newest 3,600 points are kept, an hour; of more
// than 100 Limiters as much less, but 60 at least, a minute. For up to 3,000
// Limiters that is less than 20 MB; from 6,000 on it is 4 kB for each, without a
// bound. Whoever opens a page that nobody looked at sees the history of earlier
// looks, with a gap, and the last 256 decisions in any case, for those a Limiter
// remembers itself. To have the hour before as well, let the page record:
//
//	page := dash.Handler()
//	go page.Record(ctx)
//
// A Limiter that nothing uses any more disappears from the page with its history
// once the garbage collector has found that out; a page keeps none alive.
//
// # For programs
//
// Besides the page there are three things to read below its path. All carry the
// member "schema", 1. It grows when a member changes its meaning or goes; new
// members may come without that. Figures are null where nothing was measured.
//
// limiters.json says how all are now:
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
// history.json?limiter=ID is what is remembered of one, oldest first, in columns
// of equal length. Points are a second apart except where nobody looked.
//
//	{"schema": 1, "limiter": "fetch",
//	 "time": [...], "limit": [...], "in_flight": [...], "waiting": [...],
//	 "rate": [...], "own_cpu": [...], "machine_cpu": [...],
//	 "changes": [{
//	   "seq": 14,           counts the decisions of this Limiter since New
//	   "time": 1767225600000, or null: before anybody looked
//	   "active": 12.500,    seconds with work in flight, until then
//	   "from": 8, "to": 16,
//	   "kind": "grow",      as control.Kind says
//	   "why": "doubled 8→16: +94 % throughput"
//	 }]}
//
// events?limiter=ID is a stream of server-sent events. It begins with "limiters"
// and, if that Limiter exists, "history", whose data are the two above; without
// an ID it is the first Limiter. Then comes "limiters" once a second, and after it
// "changes" when there were decisions: {"schema": 1, "limiter": ID, "changes":
// [...]}. "history" comes again when another Limiter takes over the ID. A reader
// that comes back gets all from the beginning, so it cannot miss anything. A
// stream ends when the server shuts down.
//
// limit takes a POST of application/json where Control allows it, and answers
// with {"schema": 1, "limit": 16, "manual": true}:
//
//	{"limiter": "fetch", "action": "set", "limit": 16}
//	{"limiter": "fetch", "action": "freeze"}
//	{"limiter": "fetch", "action": "auto"}
//
// # Cost
//
// With 100 Limiters that all go on deciding, a measurement takes some 1.5 ms, and
// each stream 1 ms for its events: 0.25 % of one CPU. Nothing is spent while nobody
// looks.
package dash
