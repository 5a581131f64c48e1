package run_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// The columns are those of GNU parallel, in its formats.
func TestRecordLine(t *testing.T) {
	r := run.Record{
		Seq: 12, Began: time.UnixMilli(1795298745032), Took: 1234567 * time.Microsecond, Send: 1, Receive: 3,
		Ending: run.Ending{Status: -1, Signal: 15}, Argv: []string{"echo", "a\nb\tc"},
	}
	if got, want := r.Line(), "12\t:\t1795298745.032\t     1.235\t1\t3\t-1\t15\techo 'a\x00b\tc'\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// argv are the words of the command of job seq in the logs of these tests.
func argv(seq int64) []string { return []string{"echo", "a\nb", fmt.Sprint(seq)} }

func command(seq int64) string { return run.QuoteCommand(argv(seq)) }

func recordOf(seq int64) run.Record {
	return run.Record{Seq: seq, Began: time.Unix(1795298745, 0), Argv: argv(seq), Ending: run.Ending{Status: int(seq % 2)}}
}

func openLog(t *testing.T, name string, resume bool) run.Joblog {
	t.Helper()
	l, err := run.OpenJoblog(name, resume)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestJoblogIsReadAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l := openLog(t, name, true) // there is none yet
	for _, seq := range []int64{3, 1, 5, 2} {
		l.Add(recordOf(seq))
	}
	l.Add(run.Record{Seq: 3, Argv: argv(3)}) // it has failed above
	l.Add(run.Record{Seq: 4, Argv: []string{"something", "else"}})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = openLog(t, name, true)
	defer l.Close()
	all, failed := l.Past(command)
	if !slices.Equal(all, []int64{1, 2, 3, 5}) || !slices.Equal(failed, []int64{1, 5}) {
		t.Errorf("jobs %v, failed %v; want 1, 2, 3, 5, of which 1 and 5 failed", all, failed)
	}
	if got := l.Command(2); got != command(3) {
		t.Errorf("command %q in line 2, want %q", got, command(3))
	}
}

// Wherever a kill cuts the log off, the records before stay and the rest goes.
func TestJoblogCutOff(t *testing.T) {
	dir := t.TempDir()
	whole := run.JoblogHeader
	ends := []int{0, len(whole)} // of its lines
	for seq := range int64(3) {
		whole += recordOf(seq + 1).Line()
		ends = append(ends, len(whole))
	}
	for _, appending := range []bool{false, true} {
		for n := range len(whole) + 1 {
			name := filepath.Join(dir, fmt.Sprint(n, appending))
			if err := os.WriteFile(name, []byte(whole[:n]), 0o600); err != nil {
				t.Fatal(err)
			}
			var l run.Joblog
			if appending {
				l = openLog(t, "+"+name, false)
			} else {
				l = openLog(t, name, true)
			}
			lines := slices.IndexFunc(append(ends, n+1), func(end int) bool { return end > n }) - 1
			want := whole[:ends[lines]]
			if lines == 0 {
				want = run.JoblogHeader
			}
			if all, _ := l.Past(command); !appending && len(all) != max(lines-1, 0) {
				t.Errorf("cut off at %d: %d jobs, want %d", n, len(all), lines-1)
			}
			l.Add(recordOf(9))
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			want += recordOf(9).Line()
			if got, err := os.ReadFile(name); err != nil || string(got) != want {
				t.Fatalf("cut off at %d: the log is %q, %v; want %q", n, got, err, want)
			}
		}
	}
}

// A command may have any number of newlines: they do not look like a power failure.
func TestJoblogOfManyNewlines(t *testing.T) {
	argv := func(seq int64) []string {
		return []string{"echo", "a" + strings.Repeat("\n", 62+int(seq)*67) + "b", fmt.Sprint(seq)}
	}
	name := filepath.Join(t.TempDir(), "log")
	l := openLog(t, name, true)
	for seq := range int64(4) {
		l.Add(run.Record{Seq: seq + 1, Argv: argv(seq)})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = openLog(t, name, true)
	defer l.Close()
	all, _ := l.Past(func(seq int64) string { return run.QuoteCommand(argv(seq - 1)) })
	if want := []int64{1, 2, 3, 4}; !slices.Equal(all, want) {
		t.Errorf("jobs %v, want %v", all, want)
	}
}

// A log ends where a power failure has left zeros in the place of records.
func TestJoblogAfterPowerFailure(t *testing.T) {
	whole := run.JoblogHeader + recordOf(1).Line()
	for _, rest := range []string{strings.Repeat("\x00", 512), "3\t:" + strings.Repeat("\x00", 600) + recordOf(4).Line() + recordOf(5).Line()} {
		for _, resume := range []bool{true, false} {
			name := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(name, []byte(whole+rest), 0o600); err != nil {
				t.Fatal(err)
			}
			l := openLog(t, map[bool]string{false: "+"}[resume]+name, resume)
			l.Add(recordOf(9))
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(name); err != nil || string(got) != whole+recordOf(9).Line() {
				t.Errorf("resume %v: the log is %q, %v", resume, got, err)
			}
		}
	}
}

func TestJoblogIsOverwritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("anything\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := openLog(t, name, false).Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != run.JoblogHeader {
		t.Errorf("%q, %v", got, err)
	}
}

func TestJoblogRefuses(t *testing.T) {
	dir := t.TempDir()
	good := recordOf(1).Line()
	for text, want := range map[string]string{
		"some text\n":                        "is not a joblog",
		"no newline":                         "is not a joblog",
		run.JoblogHeader + "1\t2\n":          "line 2",
		run.JoblogHeader + good + "\n":       "line 3",
		run.JoblogHeader + good + "x" + good: "line 3",
		run.JoblogHeader + "0" + good[1:]:    "line 2",
		run.JoblogHeader + strings.Replace(good, "\t1\t0\t", "\tone\t0\t", 1): "line 2",
		run.JoblogHeader + run.JoblogHeader:                                   "line 2",
	} {
		name := filepath.Join(dir, "log")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := run.OpenJoblog(name, true)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: error %v, want one with %q and the name", text, err, want)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("a file that was refused has been changed from %q to %q, %v", text, got, err)
		}
	}
	if _, err := run.OpenJoblog(filepath.Join(dir, "missing", "log"), false); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("in a missing directory: error %v", err)
	}
	if _, err := run.OpenJoblog(os.DevNull, true); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("resumed from %s: error %v", os.DevNull, err)
	}
	l := openLog(t, os.DevNull, false)
	l.Add(recordOf(1))
	if err := l.Close(); err != nil {
		t.Errorf("a device: %v", err)
	}
}

// What cannot be logged is told once.
func TestJoblogFailure(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), "log"), false)
	var told []error
	l.Fail(func(err error) { told = append(told, err) })
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l.Add(recordOf(1))
	l.Add(recordOf(2))
	if len(told) != 1 || !strings.Contains(told[0].Error(), "--joblog: cannot write") {
		t.Errorf("told %v", told)
	}
}

// A watcher notes what of a log is there at each write.
type watcher struct {
	bytes.Buffer
	log  string
	seen []int
}

func (w *watcher) Write(p []byte) (int, error) {
	text, _ := os.ReadFile(w.log)
	w.seen = append(w.seen, bytes.Count(text, []byte{'\n'})-1)
	return w.Buffer.Write(p)
}

// A record follows the output of its job; that of a job without output comes at
// once, also if it is not its turn.
func TestRecordFollowsOutput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l := openLog(t, name, false)
	out := &watcher{log: name}
	p := run.NewPrinter(out, io.Discard, true)
	defer p.Close()
	p.Log(l)
	for _, seq := range []int64{3, 2, 4, 1} {
		text := strings.Repeat(strconv.FormatInt(seq, 10), 10)
		if seq == 3 {
			text = ""
		}
		if seq == 4 {
			text = strings.Repeat("4", run.SmallOutput+1) // too large for memory
		}
		if err := p.FinishRecord(recordOf(seq), "", text, ""); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(out.seen, []int{1, 2, 3}) {
		t.Errorf("%v records when the outputs of jobs 1, 2 and 4 were written, want that of job 3 and one more each time", out.seen)
	}
	if memory, disk, files := p.Held(); memory != 0 || disk != 0 || files != 0 {
		t.Errorf("still holds %d bytes, %d on disk in %d files", memory, disk, files)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var order, received []string
	for line := range strings.Lines(string(text)) {
		f := strings.Split(line, "\t")
		order, received = append(order, f[0]), append(received, f[5])
	}
	if !slices.Equal(order, []string{"Seq", "3", "1", "2", "4"}) || !slices.Equal(received, []string{"Receive", "0", "10", "10", strconv.Itoa(run.SmallOutput + 1)}) {
		t.Errorf("jobs %v received %v", order, received)
	}
}

// A job whose output cannot be written is not recorded.
func TestNoRecordWithoutOutput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l := openLog(t, name, false)
	p := run.NewPrinter(full{}, io.Discard, false)
	defer p.Close()
	p.Log(l)
	for seq := int64(1); seq <= 2; seq++ {
		if err := p.FinishRecord(recordOf(seq), "", "x", ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != run.JoblogHeader {
		t.Errorf("%q, %v; want no record", got, err)
	}
}

// Whatever a log holds, it is refused and stays as it is, or what stays of it is
// whole lines from its beginning.
func FuzzJoblog(f *testing.F) {
	whole := run.JoblogHeader + recordOf(1).Line() + recordOf(2).Line()
	for _, text := range []string{"", "\n", "Seq", run.JoblogHeader, whole, whole[:len(whole)-1], whole + "3\t:", whole + "\x00\x00", whole + "\n", "9" + whole} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := run.OpenJoblog(name, true)
		got, rerr := os.ReadFile(name)
		if rerr != nil {
			t.Fatal(rerr)
		}
		if err != nil {
			if !bytes.Equal(got, text) {
				t.Errorf("refused with %v, and changed to %q", err, got)
			}
			return
		}
		defer l.Close()
		all, _ := l.Past(func(int64) string { return "" })
		if lines := bytes.Count(got, []byte{'\n'}); !bytes.HasPrefix(got, []byte(run.JoblogHeader)) || got[len(got)-1] != '\n' || len(all) > lines-1 {
			t.Errorf("%q stays, with %d jobs", got, len(all))
		}
		if !bytes.HasPrefix(text, got) && string(got) != run.JoblogHeader {
			t.Errorf("%q has become %q", text, got)
		}
	})
}
