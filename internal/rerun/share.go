package rerun

import (
	"flag"
	"hash/fnv"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Share runs t on one of the numbers of CPUs only that go test -cpu lists: which one
// is drawn by its name, but on the last whatever has not passed before. It is for many
// tests of one kind that take long: some of them show on each number of CPUs what all
// would show.
func Share(t *testing.T) {
	t.Helper()
	Skip(t)
	list := strings.Split(flag.Lookup("test.cpu").Value.String(), ",")
	h := fnv.New32a()
	h.Write([]byte(t.Name()))
	turn := list[h.Sum32()%uint32(len(list))]
	if now := strconv.Itoa(runtime.GOMAXPROCS(0)); slices.Contains(list, now) && now != turn && now != list[len(list)-1] {
		t.Skipf("it is for %s CPUs", turn)
	}
}
