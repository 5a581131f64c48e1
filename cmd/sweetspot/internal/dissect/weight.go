package dissect

// A Weighing says what a profile found, by line. Amount is seconds of CPU time, bytes,
// or seconds of waiting; Count is samples, objects, or waits. Each figure is for one
// operation.
type Weighing struct {
	Samples int               `json:"samples"` // in all, not for one operation: how far shares can be trusted
	All     Cost              `json:"all"`
	Groups  map[Group]float64 `json:"groups,omitempty"` // shares of All.Amount; of CPU time alone
	Lines   []Weight          `json:"lines"`            // those of the user's code, by Own.Amount, then Through.Amount, most first
}

// A Weight is what one line of the user's code costs.
type Weight struct {
	Place Place `json:"place"`
	// Self is what the line itself costs, without what it calls; Own adds what it calls
	// outside of the user's code: the runtime, the standard library, other modules.
	// Through is all that happens below it.
	Self    Cost `json:"self"`
	Own     Cost `json:"own"`
	Through Cost `json:"through"`
	// Spawned is the part of Own in goroutines that something else than the runtime and
	// the testing package has started.
	Spawned Cost `json:"spawned"`
	// Groups divides Own.Amount, of CPU time alone.
	Groups map[Group]float64 `json:"groups,omitempty"`
}

// A Cost is what a profile counts, and what it measures.
type Cost struct {
	Count  float64 `json:"count"`
	Amount float64 `json:"amount"`
}
