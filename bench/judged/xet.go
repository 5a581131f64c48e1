package main

import "time"

// The simulation of uploads by which Hugging Face judges the adaptive concurrency of
// xet-core: huggingface/xet-core, simulation/ and xet_client/src/cas_client/simulation/
// at commit af1a3ff93e02d60b9e7c3790d9cb143e2e5353a7 (August 2026). The networks are
// those of simulation/src/upload_concurrency/scripts/run_full_xet_simulation.sh, which
// names the congestion between none and heavy "medium"; the program knows it as
// "moderate".
const (
	xetLength    = 600 * time.Second
	xetTasks     = 100         // of a client, each uploads one file after the other
	xetMaxLimit  = 64          // ac_max_upload_concurrency
	xetLeastSize = 49152 << 10 // bytes of an upload; sizes are uniform
	xetMostSize  = 65536 << 10 //
	xetLeastWait = 0.4         // s, the server's "realistic" delay before it reads
	xetMostWait  = 1.0         //
	xetJitter    = 0.020       // s, either way, of each chunk's latency
	xetChunk     = 64 << 10    // bytes that a connection takes at a time
	xetPipe      = 16 + 2      // of them are on the way at most: the channel's, and one at each end
	xetIdle      = 16          // connections kept without a request
	xetBank      = time.Second // of unused bandwidth that can be made up for
)

// A network is a link with its congestion: bursts, in which latency grows and
// bandwidth shrinks, that begin with the run.
type network struct {
	bandwidth float64 // bytes/s
	name      string
	latency   float64 // s
	congestion
}

type congestion struct {
	name    string
	on, off float64 // s
	slower  float64 // part of the latency that is added
	left    float64 // part of the bandwidth that is left
}

func networks() (ns []network) {
	for _, b := range []network{{bandwidth: 10e6 / 8, name: "10 Mbit/s"}, {bandwidth: 100e6 / 8, name: "100 Mbit/s"}, {bandwidth: 1e9 / 8, name: "1 Gbit/s"}, {bandwidth: 10e9 / 8, name: "10 Gbit/s"}} {
		for _, latency := range []float64{0.020, 0.250} {
			for _, c := range []congestion{{name: "none"}, {"moderate", 10, 20, 1, 0.8}, {"heavy", 20, 20, 2, 0.7}} {
				b.latency, b.congestion = latency, c
				ns = append(ns, b)
			}
		}
	}
	return ns
}

// A wave is clients that begin together.
type wave struct {
	at      float64 // in parts of the run
	clients int
}

// uploads are the scenarios of run_upload_scenario: single_upload, gitxet_upload_burst, added_uploads.
var uploads = [][]wave{
	{{0, 1}},
	{{0, 10}},
	{{0, 1}, {1. / 6, 3}, {2. / 6, 2}, {3. / 6, 6}, {4. / 6, 1}, {5. / 6, 1}},
}
