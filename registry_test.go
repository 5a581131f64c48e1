package sweetspot_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot"
)

func ExampleLimiters() {
	downloads := sweetspot.New(sweetspot.Name("downloads"), sweetspot.Fixed(8))
	for _, l := range sweetspot.Limiters() {
		if l == downloads { // others of this program have names, too
			fmt.Println(l.Name(), l.Limit())
		}
	}
	runtime.KeepAlive(downloads)
	// Output: downloads 8
}

// Who has a name is found, in order, as long as it is used.
func TestLimiters(t *testing.T) {
	mine := func() (names []string) {
		for _, l := range sweetspot.Limiters() {
			if n := l.Name(); len(n) > len(t.Name()) && n[:len(t.Name())] == t.Name() {
				names = append(names, n[len(t.Name()):])
			}
		}
		return names
	}
	sweetspot.New()
	one := sweetspot.New(sweetspot.Name(t.Name() + "/one"))
	two := sweetspot.New(sweetspot.Name(t.Name() + "/two"))
	again := sweetspot.New(sweetspot.Name(t.Name() + "/one"))
	if got, want := mine(), []string{"/one", "/two", "/one"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	runtime.KeepAlive(one)
	runtime.KeepAlive(again)
	// A used one can be dropped as well: at rest nothing refers to it.
	const dropped = 100_000
	for i := range dropped {
		sweetspot.New(sweetspot.Name(t.Name() + "/gone"))
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	runtime.GC()
	if got, want := mine(), []string{"/two"}; !slices.Equal(got, want) {
		t.Errorf("after those are gone: %q, want %q", got, want)
	}
	if n := sweetspot.Registered(); n > dropped/10 {
		t.Errorf("%d places for them remain", n)
	}
	runtime.KeepAlive(two)
}
