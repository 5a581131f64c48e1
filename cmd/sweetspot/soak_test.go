//go:build unix

package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

var soakKills = flag.Int("soak", 6, "how many runs TestResumeAfterKill kills")

// soakJob notes its start and its end, and prints some lines, a few of them many. It
// also notes if its process of an earlier round still lives. (A zombie does not, of
// which only /proc tells; and it may be reaped before we have asked.)
const soakJob = `while read p r n; do
	[ $n = {} ] && kill -0 $p 2>&- && ! grep -qs ") Z " /proc/$p/stat && kill -0 $p 2>&- && echo "job {} of round $r runs in round $ROUND" >>beside
done <starts
echo $$ $ROUND {} >>starts; [ $((${1} % 10)) = 0 ] && seq 20000 | sed 's/^/long /'; sleep 0.00${1}; echo out {}; echo {} >>ends`

// Runs that are killed at random moments are resumed until nothing is left. Then
// every job has finished, no finished job has been repeated, no output of a finished
// job is lost, and no job has run beside itself.
//
//	go test -run ResumeAfterKill ./cmd/sweetspot -args -soak 200
func TestResumeAfterKill(t *testing.T) {
	rerun.Skip(t)
	seed := uint64(time.Now().UnixNano())
	for i, mode := range [][]string{{}, {"-k"}, {"-k", "--results", "results"}} {
		t.Run(strings.Join(append(mode, "resume"), " "), func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for kills := 0; kills < max(1, *soakKills/3); {
				s := &soak{T: t, dir: t.TempDir(), mode: mode, kept: i == 2, random: r}
				s.run(&kills, max(1, *soakKills/3))
			}
		})
	}
}

// A soak is one list that is worked off by runs that are killed.
type soak struct {
	*testing.T
	dir    string
	mode   []string
	kept   bool // outputs are in results, too
	random *rand.Rand
	killed int
}

const soakJobs = 60

// run works off the list.
func (s *soak) run(kills *int, most int) {
	s.Helper()
	var list strings.Builder
	for i := range soakJobs {
		fmt.Fprintln(&list, i+1)
	}
	if err := os.WriteFile(s.path("list"), []byte(list.String()), 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(s.path("starts"), nil, 0o600); err != nil {
		s.Fatal(err)
	}
	for round := 1; ; round++ {
		before := s.recorded()
		kill := *kills < most
		ended := s.round(round, kill)
		s.started(round, before)
		s.printed()
		if ended {
			break
		}
		*kills++
		s.killed++
	}
	if n := len(s.recorded()); n != soakJobs {
		s.Errorf("%d jobs are in the log, want %d", n, soakJobs)
	}
	ends := strings.Fields(s.read("ends"))
	for i := range soakJobs {
		if want := strconv.Itoa(i + 1); !slices.Contains(ends, want) {
			s.Errorf("job %s has not come to its end", want)
		}
	}
	// Only one job at a time is between its print and its record. With --results
	// a record comes first.
	repeated := -soakJobs
	for line := range strings.Lines(s.read("out")) {
		if strings.HasPrefix(line, "out ") {
			repeated++
		}
	}
	if repeated > s.killed || repeated < 0 && !s.kept {
		s.Errorf("%d outputs were repeated in %d kills", repeated, s.killed)
	}
	if text := s.read("beside"); text != "" {
		s.Errorf("jobs ran beside their orphans:\n%s", text)
	}
}

// round runs or resumes the list, and kills the run at a random moment if it
// shall. It reports whether the run came to its end.
func (s *soak) round(round int, kill bool) bool {
	s.Helper()
	out, err := os.OpenFile(s.path("out"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		s.Fatal(err)
	}
	defer out.Close()
	if text := s.read("out"); text != "" && !strings.HasSuffix(text, "\n") { // a kill cut a line short
		if _, err := out.WriteString("\n"); err != nil {
			s.Fatal(err)
		}
	}
	args := append([]string{"run", "-j", "6", "--joblog", "log", "--resume", "-a", "list"}, s.mode...)
	cmd := exec.Command("sweetspot", append(args, "-c", soakJob)...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, out, &stderr
	cmd.Env = append(os.Environ(), "ROUND="+strconv.Itoa(round))
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() { waited <- cmd.Wait() }()
	if kill {
		var moment <-chan time.Time
		if s.random.IntN(2) == 0 { // any moment, that of the start included
			moment = time.After(time.Duration(s.random.Int64N(int64(150 * time.Millisecond))))
		} else { // right after a record, so that there is progress on any machine
			moment = s.grown(int64(s.random.IntN(1500)), time.Duration(s.random.Int64N(int64(2*time.Millisecond))))
		}
		select {
		case err := <-waited:
			waited <- err
		case <-moment:
			cmd.Process.Kill()
		}
	}
	select {
	case err = <-waited:
	case <-time.After(patience):
		cmd.Process.Kill()
		s.Fatal("a resumed run does not end")
	}
	if e, ok := err.(*exec.ExitError); ok && e.Sys().(syscall.WaitStatus).Signaled() {
		return false
	}
	if err != nil || stderr.Len() > 0 {
		s.Fatalf("round %d: %v, stderr %s", round, err, stderr.String())
	}
	return true
}

// grown returns a channel that fires some time after the log has grown by so
// many bytes.
func (s *soak) grown(by int64, then time.Duration) <-chan time.Time {
	size := func() int64 {
		st, err := os.Stat(s.path("log"))
		if err != nil {
			return 0
		}
		return st.Size()
	}
	want := size() + by
	c := make(chan time.Time, 1)
	go func() {
		for deadline := time.Now().Add(patience); size() <= want && time.Now().Before(deadline); {
			time.Sleep(200 * time.Microsecond)
			if s.Context().Err() != nil {
				return
			}
		}
		time.Sleep(then)
		c <- time.Now()
	}()
	return c
}

// recorded returns the jobs of the complete lines of the log.
func (s *soak) recorded() map[string]bool {
	s.Helper()
	jobs := make(map[string]bool)
	for line := range strings.Lines(s.read("log")) {
		if !strings.HasSuffix(line, "\n") || strings.HasPrefix(line, "Seq") {
			continue
		}
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 9)
		if len(f) != 9 || f[6] != "0" || f[7] != "0" || jobs[f[0]] || !strings.HasSuffix(f[8], " sh "+f[0]) {
			s.Fatalf("record %q", line)
		}
		jobs[f[0]] = true
	}
	return jobs
}

// started checks that no job was started in a round that was recorded before.
func (s *soak) started(round int, before map[string]bool) {
	s.Helper()
	for line := range strings.Lines(s.read("starts")) {
		f := strings.Fields(line)
		if f[1] == strconv.Itoa(round) && before[f[2]] {
			s.Errorf("round %d: job %s was repeated, which had been recorded", round, f[2])
		}
	}
}

// printed checks that the output of each recorded job is where it belongs.
func (s *soak) printed() {
	s.Helper()
	out := "\n" + s.read("out")
	for seq := range s.recorded() {
		where := out
		if s.kept {
			where = "\n" + s.read("results/1/"+seq+"/stdout")
		}
		if !strings.Contains(where, "\nout "+seq+"\n") {
			s.Errorf("the output of job %s is lost, which is recorded", seq)
		}
	}
}

func (s *soak) path(name string) string { return filepath.Join(s.dir, name) }

// read returns the content of a file, "" if there is none yet.
func (s *soak) read(name string) string {
	s.Helper()
	b, err := os.ReadFile(s.path(name))
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	return string(b)
}
