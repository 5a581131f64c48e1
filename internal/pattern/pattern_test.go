package pattern_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/pattern"
)

func TestOf(t *testing.T) {
	letters := pattern.Of(`^\pL+$`)
	if !letters().MatchString("Grüße") || letters().MatchString("B2") {
		t.Errorf("%v matches something else", letters())
	}
	if first := letters(); letters() != first {
		t.Error("it is compiled at each call")
	}
	wrong := pattern.Of(`(`) // does not panic yet
	defer func() {
		if recover() == nil {
			t.Error("an expression that does not compile does not panic")
		}
	}()
	wrong()
}
