package sweetspot

import (
	"context"
	"reflect"
	"unsafe"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// WorkersOf returns how many workers the call has that gave ctx to a callback: those
// that work or left items behind, and those that left and would come back.
func WorkersOf(ctx context.Context) (listed, rested int) {
	if w, ok := ctx.(call.WorkerContext); ok {
		ctx = w.Context
	}
	of, _ := reflect.TypeFor[call.Handle]().FieldByName("ctx")
	h := (*call.Handle)(unsafe.Add(unsafe.Pointer(ctx.(*call.Context)), -int(of.Offset)))
	listed = len(h.Lock())
	defer h.Unlock()
	for _, first := range []string{"rested", "parked"} {
		for w := reflect.ValueOf(h.Call).Elem().FieldByName(first); !w.IsNil(); w = w.Elem().FieldByName("next") {
			rested++
		}
	}
	return listed, rested
}

// Forget forgets all functions.
func Forget() { call.Forget() }

// Learn takes note of two calls of the function with that code.
func Learn(key uintptr, cost float64, limit int) {
	for range 2 {
		var h call.History
		h.Load(key)
		h.Learn(cost)
		h.Limit = limit
		h.Keep()
	}
}

// Recall returns what an item of the function with that code has cost.
func Recall(key uintptr) (cost float64) {
	var h call.History
	h.Load(key)
	return h.Cost
}

const FirstLook = call.FirstLook
