//go:build unix

package main_test

import (
	"os/exec"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// Closed streams are as good as /dev/null: what we have to say does not end up in
// the file of a job, a result or a log.
func TestClosedStreams(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	for _, closed := range []string{"2>&- >out.txt", ">&-", ">&- 2>&-", "<&- >&- 2>&-"} {
		s := startCommand(t, exec.Command("sh", "-c",
			`{ sweetspot run -j 2 -v --explain --ui 0 --results out --joblog log -c 'echo {}; echo e{} >&2' ::: a b c; } `+closed+`; echo $? >rc; head -n 99 out/1/?/std*; wc -l <log; cat rc`))
		s.ends(0)
		const want = "==> out/1/a/stderr <==\nea\n\n==> out/1/a/stdout <==\na\n\n" +
			"==> out/1/b/stderr <==\neb\n\n==> out/1/b/stdout <==\nb\n\n" +
			"==> out/1/c/stderr <==\nec\n\n==> out/1/c/stdout <==\nc\n4\n0\n"
		if got := s.stdout.String(); got != want {
			t.Errorf("%s: %q, want %q", closed, got, want)
		}
	}
}
