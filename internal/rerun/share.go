package rerun

import (
	"flag"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Share skips t on all but one of the numbers of CPUs that go test -cpu lists, by
// turns: of many tests of one kind, the i-th runs on the i-th of them. It is for what
// takes long and shows in some of its kind what it would show in all.
func Share(t *testing.T, i int) {
	t.Helper()
	list := strings.Split(flag.Lookup("test.cpu").Value.String(), ",")
	if turn := strings.TrimSpace(list[i%len(list)]); len(list) > 1 && turn != strconv.Itoa(runtime.GOMAXPROCS(0)) {
		t.Skipf("it is the turn of %s CPUs", turn)
	}
}
