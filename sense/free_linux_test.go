package sense_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/sense"
)

func TestFreeMemory(t *testing.T) {
	free, total, ok := sense.FreeMemory()
	if !ok || free <= 0 || total < free {
		t.Errorf("%g of %g bytes are free, %v", free, total, ok)
	}
}
