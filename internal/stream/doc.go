// Package stream hands out the items of a sequence, and brings results back in order, for
// the calls on sequences (see package call).
//
//	source ─► Producer ─► queue ─► helpers ─► Results ─► Consumer ─► body
//
// The caller runs the source. As long as it is alone, [Producer] does each item as it
// comes; then it queues them for helpers. Where items have results, a worker puts each into
// its [Place] among the [Results], and a [Consumer] gives them to the body of the loop.
package stream
