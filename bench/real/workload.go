package main

import (
	"context"
	"fmt"
)

// A workload is an endless stream of work of one kind.
type workload struct {
	name  string
	about string
	// run measures t in this process, which is a fresh one.
	run func(ctx context.Context, t task) (result, error)

	env      []string // of the process that measures
	most     int      // greater fixed limits are left out; 0 is none
	why      string   // why they are
	commands string   // runs this command through the binary; "" works in the process
}

// workloads lists what can be measured. To add one, add a line.
func workloads() []workload {
	return []workload{
		{name: "sha", about: "CPU-bound commands: sha256sum of files, about 30 ms each", run: runSHA, commands: "sha256sum"},
		{name: "sleepcmd", about: "waiting commands: sleep 0.2", run: runSleep, commands: "sleep"},
		{name: "server", about: "clients of a server that serves 24 at a time, 30 ms each, and slows down past 96", run: runClients},
		{name: "cpu1ms", about: "Go tasks of 1 ms computing", run: runComputing(1)},
		{name: "wait50", about: "Go tasks of 50 ms waiting", run: runWaiting},
		{name: "mixed", about: "Go tasks of 1 ms computing and 9 ms waiting", run: runMixed},
		{name: "memory", about: "Go tasks that hold 4 MB each, under GOMEMLIMIT=96MiB", run: runMemory,
			env: []string{"GOMEMLIMIT=96MiB"}, most: 128, why: "it would take gigabytes and minutes, for nothing"},
		{name: "hog", about: "as cpu1ms, with a neighbour that takes a CPU in the middle third", run: runWithHog},
		{name: "cpu20us", about: "Go tasks of 20 µs computing", run: runComputing(0.02)},
	}
}

// named returns the workload of a name.
func named(name string) (workload, error) {
	for _, w := range workloads() {
		if w.name == name {
			return w, nil
		}
	}
	return workload{}, fmt.Errorf("no workload %q", name)
}
