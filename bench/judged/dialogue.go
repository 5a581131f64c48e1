package main

// The simulation by which Palantir judges the strategies of its HTTP client:
// palantir/dialogue, simulation/src/test/java/com/palantir/dialogue/core/SimulationTest.java,
// with the figures published in simulation/src/test/resources/report.md, at commit
// 6291a1d826cd7a662edaeaf9b328510f13eb5b99 (October 2024).
var dialogueScenarios = read[dialogueScenario]("dialogue.json")

type dialogueScenario struct {
	Name    string
	Servers [][]serverPhase // the phases of each, in order of time
	Clients int
	// Endpoints of the servers that clients choose from at random, 1 if 0.
	Endpoints int
	Get       bool // the method: a 500 is tried again, too
	Streams   []stream
	Abort     float64 // s, the end, whatever is under way
	Slower    int     // ticks of the governor

	RoundRobin, Pin, Unlimited published
}

// A stream is N requests at equal intervals.
type stream struct {
	Rate float64 // per second
	N    int
}

// Published is what a strategy of dialogue reached.
type published struct {
	Success float64 // percent of the requests sent that were answered with 200
	Mean    float64 // time of an answer, s
}

// A serverPhase says how a server answers from a moment on. Before its first phase the server does
// not exist.
type serverPhase struct {
	From float64 // s
	Took float64 // s
	// Slows is the number of requests in flight with which an answer takes twice as
	// long; above it takes five times. 0: it never does.
	Slows int
	Code  int     // of the answers
	Most  int     // requests in flight above which the code is Busy; 0: any
	Busy  int     //
	Fails int     // number of the endpoint that is answered with 500, from 1 on
	Flake float64 // part of the answers that are 500
	Rate  float64 // per second, over a minute, above which the code is 429; 0: any
}
