package sweetspot_test

import (
	"crypto/rand"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot"
)

func ExampleLimiters() {
	downloads := setTo(sweetspot.New(sweetspot.Name("downloads")), 8)
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
	name := t.Name() + rand.Text() // those of an earlier run may still be there
	mine := func() (names []string) {
		for _, l := range sweetspot.Limiters() {
			if n := l.Name(); strings.HasPrefix(n, name) {
				names = append(names, n[len(name):])
			}
		}
		return names
	}
	sweetspot.New()
	one := sweetspot.New(sweetspot.Name(name + "/one"))
	two := sweetspot.New(sweetspot.Name(name + "/two"))
	again := sweetspot.New(sweetspot.Name(name + "/one"))
	if got, want := mine(), []string{"/one", "/two", "/one"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	runtime.KeepAlive(one)
	runtime.KeepAlive(again)
	// A used one can be dropped as well: at rest nothing refers to it.
	const dropped = 30_000
	for i := range dropped {
		sweetspot.New(sweetspot.Name(name + "/gone"))
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	runtime.GC()
	if got, want := mine(), []string{"/two"}; !slices.Equal(got, want) {
		t.Errorf("after those are gone: %q, want %q", got, want)
	}
	if n := sweetspot.Registered(); n > dropped/3 {
		t.Errorf("%d places for them remain", n)
	}
	runtime.KeepAlive(two)
}
