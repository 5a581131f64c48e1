package sense_test

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/sense"
)

// A cache of 1 MiB, or of less where memory is short.
func ExampleFreeMemory() {
	size := 1024.0 // KiB
	if free, _, ok := sense.FreeMemory(); ok {
		size = min(size, free/4/1024)
	}
	fmt.Printf("%.0f KiB\n", size)
	// Output: 1024 KiB
}
