package dissect

// An Activity says what goroutines did, by the lines that started them and the lines
// at which they waited. Each figure is for one operation, unless it says otherwise.
// The goroutines of the runtime, of the instrument and of the testing package are left
// out.
type Activity struct {
	*Schedule         // sums over all goroutines
	Spawns    []Spawn `json:"spawns"` // by the time of their goroutines, running and runnable, most first
	Parks     []Park  `json:"parks"`  // by the number of parks, most first
}

// A Spawn is a line that starts goroutines, and what became of them.
type Spawn struct {
	// Place is the innermost line in the user's code on the stack of who started them:
	// the go statement, or the call of a method Go. Stack are all of these lines,
	// callees first, as many as are of use.
	Place Place   `json:"place"`
	Stack []Place `json:"stack"`
	Entry string  `json:"entry"` // the function that the goroutines begin with

	Goroutines float64 `json:"goroutines"` // started
	Peak       int     `json:"peak"`       // the most that there were at the same time
	// MedianRun is the median of the time that one goroutine ran, in seconds, over
	// those that have ended; Ended is how many these are, of the whole recording.
	MedianRun float64 `json:"median_run_seconds"`
	Ended     int     `json:"ended"`

	Running  float64         `json:"running_seconds"` // sums over the goroutines
	Runnable float64         `json:"runnable_seconds"`
	Waiting  float64         `json:"waiting_seconds"`
	Syscall  float64         `json:"syscall_seconds"`
	Starts   float64         `json:"starts"` // how often they went from runnable to running
	Waits    map[string]Wait `json:"waits"`  // by why

	// Executed is how often the line was executed, counted; 0 where nobody counted.
	Executed float64 `json:"executed,omitempty"`
}

// A Wait is how often, and for how long, goroutines waited.
type Wait struct {
	Times   float64 `json:"times"`
	Seconds float64 `json:"seconds"` // a sum
}

// A Park is a line at which goroutines waited: an operation on a channel, a lock, a
// WaitGroup, a socket.
type Park struct {
	Place  Place   `json:"place"` // the innermost line in the user's code
	Stack  []Place `json:"stack"` // callees first
	Reason string  `json:"reason"`
	Wait
	Goroutines int `json:"goroutines"` // how many waited there, of the whole recording
	// MedianRun is the median of the time that a goroutine had run since it last waited,
	// in seconds.
	MedianRun float64 `json:"median_run_seconds"`
	// Of are the lines that started the goroutines that waited here, and how often they
	// did. Those that were there before the recording have none.
	Of map[Place]float64 `json:"-"`

	// Executed is how often the line was executed, counted; 0 where nobody counted. So
	// Times/Executed are the parks for each item.
	Executed float64 `json:"executed,omitempty"`
}
