package sweetspot_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot"
)

func TestRecall(t *testing.T) {
	const key = 0x12345
	if cost, limit := sweetspot.Recall(key); cost != 0 || limit != 0 {
		t.Errorf("of a function never called: %g ns, limit %d", cost, limit)
	}
	sweetspot.Remember(key, 1500, 64)
	if cost, limit := sweetspot.Recall(key); cost != 1500 || limit != 64 {
		t.Errorf("remembered %g ns, limit %d: want 1500 and 64", cost, limit)
	}
	// Others may take its place, but are never taken for it.
	for other := uintptr(1); other < 10_000; other++ {
		sweetspot.Remember(0x100000+other, 7, 7)
	}
	if cost, limit := sweetspot.Recall(key); cost != 1500 && cost != 0 || limit != 64 && limit != 0 {
		t.Errorf("remembered %g ns, limit %d of another function", cost, limit)
	}
}
