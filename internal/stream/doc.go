// Package stream hands out the items of a sequence, and brings results back in order, for
// the calls on sequences (see package call).
//
//	source ─► Producer ─► queue ─► helpers ─► Results ─► Consumer ─► body
//
// The caller runs the source. As long as there are no helpers, [Producer] does each item as
// it comes; then it queues items for them. If items have results, a worker puts each into
// its [Place] among the [Results], and a [Consumer] gives them to the body of the loop.
package stream
