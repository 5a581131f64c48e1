package main

type situation struct {
	name, about string
	processes   int
	crew        crew  // of each process
	numbers     []int // fixed ones for the sweep; more than one must be given in ascending order
	server      *server
	jobs        int // of "sweetspot run" in each process; 0: the crew works
	bars        bars
}

// Bars are what is to be reached, as shares of the best fixed number; 0 means none.
type bars struct {
	total, least, jain float64
	cpu                float64 // CPUs at most that the loops use
}

// everyWait is the fixed number at which every caller works: waits disturb nobody.
const everyWait = 256

// allJobs is how many jobs each sweetspot run has, unless -jobs says otherwise: some 20 s.
const allJobs = 1500

// crowded is a server that slows down, and plain one that only queues.
var (
	crowded = &server{places: 64, service: 20, crowd: 160}
	plain   = &server{places: 24, service: 150}
)

// situations lists what can be measured. To add one, add a line.
func situations() []situation {
	waits := func(limiters int) crew {
		return crew{Work: waitWork, Milliseconds: 50, Limiters: limiters, Callers: everyWait}
	}
	asks := func(limiters int, name string) crew {
		return crew{Work: askWork, Limiters: limiters, Callers: 256, Share: name}
	}
	beside := waits(1)
	beside.Background = 2
	few := []int{24, 32, 48, 64, 80}
	return []situation{
		{"computing", "a Limiter of 50 ms waits, beside two goroutines of its process that compute", 1, beside, []int{everyWait}, nil, 0, bars{total: 0.9}},
		{"foreach", "ForEach over 3,000 waits of 10 ms, its first call, beside two such goroutines", 1,
			crew{Work: eachWork, Milliseconds: 10, Limiters: 1, Callers: 3000, Background: 2}, []int{everyWait}, nil, 0, bars{}},
		{"ten", "10 Limiters with 50 ms waits of their own", 1, waits(10), []int{everyWait}, nil, 0, bars{total: 0.95, least: 0.7}},
		{"fifty", "50 Limiters with 50 ms waits of their own", 1, waits(50), []int{everyWait}, nil, 0, bars{total: 0.9, least: 0.7}},
		{"shared2", "2 Limiters of a process on a server that slows down when crowded", 1, asks(2, ""), few, crowded, 0, bars{total: 0.9, jain: 0.9}},
		{"shared10", "10 Limiters of a process on that server", 1, asks(10, ""), []int{5, 7, 10, 13, 16}, crowded, 0, bars{total: 0.9, jain: 0.9}},
		{"processes2", "2 processes on that server", 2, asks(1, ""), few, crowded, 0, bars{total: 0.85}},
		{"processes2-named", "2 processes that share a name", 2, asks(1, "bench"), few, crowded, 0, bars{total: 0.95, jain: 0.9}},
		{"processes5-named", "5 processes that share a name", 5, asks(1, "bench"), []int{10, 13, 20, 26, 32}, crowded, 0, bars{total: 0.9, jain: 0.9}},
		{"runs2", "2 times sweetspot run at once, on a server of 24 places that only queues", 2, crew{}, []int{12, 16, 24}, plain, allJobs, bars{}},
		{"runs2-named", "the same with --share", 2, crew{Share: "bench"}, []int{12, 16, 24}, plain, allJobs, bars{total: 0.95, jain: 0.9}},
		{"thousand", "1,000 Limiters that are busy: CPUs that the loops use, beyond the same work without Limiters", 1,
			crew{Work: waitWork, Milliseconds: 200, Limiters: 1000, Callers: 2}, []int{bare}, nil, 0, bars{cpu: 0.1}},
	}
}
