package sweetspot

import (
	"context"
	"unsafe"
)

// WorkersOf returns how many workers the call has that gave ctx to a callback: those
// that work or left items behind, and those that left and would come back.
func WorkersOf(ctx context.Context) (listed, rested int) {
	c := (*hold)(unsafe.Add(unsafe.Pointer(ctx.(*callContext)), -int(unsafe.Offsetof(hold{}.ctx)))).crew
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range []*worker{c.rested, c.parked} {
		for ; w != nil; w = w.next {
			rested++
		}
	}
	return len(c.workers), rested
}
