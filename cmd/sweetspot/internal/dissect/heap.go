package dissect

// A HeapVariable is a line at which the compiler puts something on the heap, with what
// was seen to be allocated there.
type HeapVariable struct {
	Place Place    `json:"place"`
	What  string   `json:"what"` // in the words of the compiler
	Why   []string `json:"why"`  // the steps by which it leaves
	// Own and Spawned are those of the line in the profile of allocations.
	Own     Cost `json:"own"`
	Spawned Cost `json:"spawned"`
}
