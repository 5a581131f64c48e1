package main

import (
	"slices"
	"time"
)

// The simulation by which Palantir judges the strategies of its HTTP client:
// palantir/dialogue, simulation/src/test/java/com/palantir/dialogue/core/SimulationTest.java,
// with the figures published in simulation/src/test/resources/report.md, at commit
// 6291a1d826cd7a662edaeaf9b328510f13eb5b99 (October 2024).

type dialogueScenario struct {
	name    string
	servers []serverSpec
	clients int
	// endpoints of the servers that clients choose from at random, 1 if 0.
	endpoints int
	get       bool // the method: a 500 is tried again, too
	streams   []stream
	abort     time.Duration // the end, whatever is under way
	slower    int           // ticks of the governor

	roundRobin, pin, unlimited published
}

// A stream is requests at equal intervals.
type stream struct {
	every time.Duration
	n     int
}

// perSecond returns a stream that sends at a rate for a time.
func perSecond(rate float64, d time.Duration) []stream {
	every := time.Duration(1e9 / rate)
	return []stream{{every, int(d / every)}}
}

// Published is what a strategy of dialogue reached.
type published struct {
	success float64 // percent of the requests sent that were answered with 200
	mean    float64 // time of an answer, s
}

type serverSpec struct {
	begins time.Duration
	phases []serverPhase
}

// A serverPhase is how a server answers from a time on.
type serverPhase struct {
	from time.Duration
	took time.Duration
	// slows is the number of requests in flight with which an answer takes twice as
	// long; above it takes five times. 0: it never does.
	slows int
	code  int     // of the answers
	most  int     // requests in flight above which the code is busy; 0: any
	busy  int     //
	fails int     // number of the endpoint that is answered with 500, from 1 on
	flake float64 // part of the answers that are 500
	rate  float64 // per second, over a minute, above which the code is 429; 0: any
}

const ms = time.Millisecond

func always(p serverPhase) serverSpec { return serverSpec{phases: []serverPhase{p}} }

// broken returns a server that is another one between two times.
func broken(p serverPhase, from, to time.Duration, bad serverPhase) serverSpec {
	again := p
	bad.from, again.from = from, to
	return serverSpec{phases: []serverPhase{p, bad, again}}
}

var dialogueScenarios = []dialogueScenario{
	{
		name: "simplest_possible_case", clients: 10, streams: perSecond(11, 20*time.Minute), abort: time.Hour,
		servers: []serverSpec{
			always(serverPhase{took: 600 * ms, code: 200}), always(serverPhase{took: 800 * ms, code: 200}), always(serverPhase{took: 1000 * ms, code: 200}),
		},
		roundRobin: published{100, 0.785757575}, pin: published{100, 0.834469696}, unlimited: published{100, 0.785757575},
	},
	{
		name: "slowdown_and_error_thresholds", clients: 10, get: true, streams: perSecond(500, 20*time.Second), abort: 10 * time.Minute,
		servers: []serverSpec{
			always(serverPhase{took: 600 * ms, slows: 30, code: 200, most: 40, busy: 500}),
			always(serverPhase{took: 800 * ms, slows: 30, code: 200, most: 40, busy: 500}),
			always(serverPhase{took: 1000 * ms, slows: 30, code: 200, most: 40, busy: 500}),
		},
		roundRobin: published{100, 178.655}, pin: published{100, 155.929}, unlimited: published{3.6, 21.552},
	},
	{
		name: "slow_503s_then_revert", clients: 10, streams: perSecond(200, 15*time.Second), abort: 10 * time.Minute,
		servers: []serverSpec{
			always(serverPhase{took: 60 * ms, slows: 60, code: 200}),
			broken(serverPhase{took: 60 * ms, slows: 60, code: 200}, 3*time.Second, 10*time.Second, serverPhase{took: time.Second, slows: 60, code: 503}),
		},
		roundRobin: published{100, 0.088828705}, pin: published{100, 0.135264504}, unlimited: published{100, 0.088828705},
	},
	{
		name: "fast_503s_then_revert", clients: 10, streams: perSecond(500, 90*time.Second), abort: 10 * time.Minute,
		servers: []serverSpec{
			always(serverPhase{took: 120 * ms, code: 200}),
			broken(serverPhase{took: 120 * ms, code: 200}, 3*time.Second, time.Minute, serverPhase{took: 10, code: 503}),
		},
		roundRobin: published{100, 0.120107163}, pin: published{100, 0.120012009}, unlimited: published{100, 0.120107163},
	},
	{
		name: "fast_400s_then_revert", clients: 10, streams: perSecond(100, time.Minute), abort: 10 * time.Minute,
		servers: []serverSpec{
			always(serverPhase{took: 120 * ms, code: 200}),
			broken(serverPhase{took: 120 * ms, code: 200}, 3*time.Second, 30*time.Second, serverPhase{took: 20 * ms, code: 400}),
		},
		roundRobin: published{93.6, 0.113583333}, pin: published{82.2, 0.1022}, unlimited: published{93.6, 0.113583333},
	},
	{
		name: "short_outage_on_one_node", clients: 1, streams: perSecond(20, 80*time.Second), abort: 3 * time.Minute,
		servers: []serverSpec{
			always(serverPhase{took: 2 * time.Second, code: 200}),
			broken(serverPhase{took: 2 * time.Second, code: 200}, 30*time.Second, 50*time.Second, serverPhase{took: 10, code: 500}),
		},
		roundRobin: published{99.4, 4.35103125}, pin: published{99.8, 18.248406257}, unlimited: published{99.6, 1.9925},
	},
	{
		name: "drastic_slowdown", clients: 10, streams: perSecond(200, 20*time.Second), abort: 10 * time.Minute,
		servers: []serverSpec{
			always(serverPhase{took: 60 * ms, slows: 60, code: 200}),
			broken(serverPhase{took: 60 * ms, slows: 60, code: 200}, 3*time.Second, 10*time.Second, serverPhase{took: 10 * time.Second, slows: 60, code: 200}),
		},
		roundRobin: published{100, 0.251969999}, pin: published{100, 3.120674249}, unlimited: published{100, 0.251969999},
	},
	{
		name: "all_nodes_500", clients: 10, streams: perSecond(100, 20*time.Second), abort: 10 * time.Minute,
		servers:    slices.Repeat([]serverSpec{{phases: []serverPhase{{took: 600 * ms, code: 500}, {from: 10 * time.Second, took: 600 * ms, code: 200}}}}, 2),
		roundRobin: published{74.1, 3.347395}, pin: published{73.9, 4.24575}, unlimited: published{50, 0.6},
	},
	{
		name: "black_hole", clients: 10, streams: perSecond(200, 10*time.Second), abort: 30 * time.Second,
		servers: []serverSpec{
			always(serverPhase{took: 600 * ms, code: 200}),
			{phases: []serverPhase{{took: 600 * ms, code: 200}, {from: 3 * time.Second, took: 24 * time.Hour, code: 200}}},
		},
		roundRobin: published{91.5, 0.600005464}, pin: published{59.2, 0.600870667}, unlimited: published{91.4, 0.6},
	},
	{
		name: "one_endpoint_dies_on_each_server", clients: 10, endpoints: 2, streams: perSecond(250, 10*time.Second), abort: 10 * time.Minute,
		servers: []serverSpec{
			{phases: []serverPhase{{took: 600 * ms, code: 200}, {from: 3 * time.Second, took: 600 * ms, code: 200, fails: 1}}},
			{phases: []serverPhase{{took: 600 * ms, code: 200}, {from: 3 * time.Second, took: 600 * ms, code: 200, fails: 2}}},
		},
		roundRobin: published{66.2, 2.0278288}, pin: published{66, 2.0950112}, unlimited: published{65.1, 0.6},
	},
	{
		name: "live_reloading", clients: 10, streams: perSecond(250, 10*time.Second), abort: 10 * time.Minute,
		servers: []serverSpec{
			always(serverPhase{took: 600 * ms, slows: 60, code: 200}),
			always(serverPhase{took: 600 * ms, slows: 60, code: 500}),
			{begins: 5 * time.Second, phases: []serverPhase{{took: 600 * ms, slows: 60, code: 200}}},
		},
		roundRobin: published{92.9, 5.3514976}, pin: published{94.3, 7.1919248}, unlimited: published{86.9, 2.802124},
	},
	{
		name: "uncommon_flakes", clients: 10, streams: perSecond(1000, 10*time.Second), abort: 10 * time.Second,
		servers:    slices.Repeat([]serverSpec{always(serverPhase{took: 1000, code: 200, flake: 0.01})}, 2),
		roundRobin: published{99, 0.000001}, pin: published{99, 0.000001}, unlimited: published{99, 0.000001},
	},
	{
		name: "one_big_spike", clients: 1, streams: []stream{{time.Second / 30_000, 1000}}, abort: 10 * time.Second,
		servers:    slices.Repeat([]serverSpec{always(serverPhase{took: 150 * ms, code: 200, most: 100, busy: 429})}, 2),
		roundRobin: published{100, 1.579726259}, pin: published{100, 2.667606696}, unlimited: published{99.9, 1.220762244},
	},
	{
		name: "server_side_rate_limits", clients: 2, streams: perSecond(0.1, 25_000*time.Minute), abort: 1000 * time.Hour, slower: 500,
		servers:    slices.Repeat([]serverSpec{always(serverPhase{took: 200 * time.Second, code: 200, rate: 0.1 / 4})}, 4),
		roundRobin: published{99.7, 333766.7535}, pin: published{100, 3364.9174}, unlimited: published{99, 325.2099},
	},
	{
		name: "steady_vs_bursty_client", clients: 1, streams: []stream{{time.Second, 60}, {50, 10_000}}, abort: 2 * time.Minute,
		servers:    []serverSpec{always(serverPhase{took: 5 * ms, code: 200, most: 1, busy: 429})},
		roundRobin: published{96.9, 24.927819953}, pin: published{96.9, 24.927819953}, unlimited: published{6.4, 3.873525187},
	},
	{
		name: "fairness_across_multiple_clients", clients: 1, streams: perSecond(30, time.Minute), abort: 2 * time.Minute,
		servers:    []serverSpec{always(serverPhase{took: 150 * ms, code: 200, most: 2, busy: 429})},
		roundRobin: published{88.3, 32.03936578}, pin: published{88.3, 32.03936578}, unlimited: published{0.7, 2.693485967},
	},
}
