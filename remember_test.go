package sweetspot_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sense"
)

func ExampleRemember() {
	dir, err := os.MkdirTemp("", "thumbnails") // a program has a folder of its own in os.UserCacheDir
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	memory, err := sweetspot.Remember(dir)
	if err != nil {
		fmt.Println("goes on without a memory:", err)
	}
	l := sweetspot.New(sweetspot.Name("resize"), memory)
	lengths, err := sweetspot.Map(context.Background(), []string{"a", "bc"}, func(_ context.Context, s string) (int, error) {
		return len(s), nil
	}, l)
	fmt.Println(lengths, err, memory.Save())
	// Output: [1 2] <nil> <nil>
}

// A program saves when it ends. What it has done in a moment is no lesson yet.
func ExampleMemory_Save() {
	dir, err := os.MkdirTemp("", "mails")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	memory, err := sweetspot.Remember(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	l := sweetspot.New(sweetspot.Name("send"), memory)
	l.Do(context.Background(), func(context.Context) error { return nil })
	if err := memory.Save(); err != nil {
		fmt.Println("the next run begins anew:", err)
	}
	lessons, err := os.ReadDir(dir)
	fmt.Println(len(lessons), "lessons", err)
	// Output: 0 lessons <nil>
}

// A server takes 50 ms for a request, and more where it is crowded: more than its places do
// less than that many.
type server struct {
	gauge
	places float64
}

func (s *server) serve(context.Context) error {
	s.enter()
	defer s.leave()
	crowd := max(1, float64(s.now.Load())/s.places)
	time.Sleep(time.Duration(crowd * crowd * float64(50*time.Millisecond)))
	return nil
}

// process plays a process that asks a server with so many places for a time, beginning with what
// is in dir. It returns its limit at the start, how long that stood, and the last one.
func process(t *testing.T, dir string, places int, lasts time.Duration, opts ...sweetspot.LimiterOption) (first int, stood time.Duration, last int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		memory, err := sweetspot.Remember(dir)
		if err != nil {
			t.Fatal(err)
		}
		opts = append([]sweetspot.LimiterOption{sweetspot.Name("requests"), sweetspot.Sensor(idleMachine{}), memory, sweetspot.Start(2)}, opts...)
		l := sweetspot.New(opts...)
		first = l.Limit()
		s := &server{places: float64(places)}
		began := time.Now()
		together(100, func(int) {
			for time.Since(began) < lasts {
				_ = l.Do(t.Context(), s.serve)
			}
		})
		stood = lasts
		for _, d := range l.Decisions() {
			if k := d.Reason.Kind; k != control.Start && k != control.None {
				stood = d.At
				break
			}
		}
		last = l.Limit()
		if err := memory.Save(); err != nil {
			t.Error(err)
		}
	})
	return first, stood, last
}

// A process begins where the last one has ended, and leaves that at once where it is wrong.
func TestRememberAcrossProcesses(t *testing.T) {
	dir := t.TempDir()
	first, _, found := process(t, dir, 40, 20*time.Second)
	if first != 2 || found < 36 || found > 60 {
		t.Fatalf("the first process goes from %d to %d, want 2 to some 40", first, found)
	}
	first, stood, _ := process(t, dir, 40, 5*time.Second)
	if first < 30 || first > 60 || stood < 5*time.Second {
		t.Errorf("the second begins at %d for %v, want some 40 all the time", first, stood)
	}
	first, stood, last := process(t, dir, 10, 20*time.Second)
	if first < 30 || first > 60 || stood > 3*time.Second || last > 20 {
		t.Errorf("at a quarter of the server it begins at %d for %v and ends at %d, want some 40, 3 s at most, and some 10", first, stood, last)
	}
	if first, _, _ = process(t, dir, 10, time.Second); first < 8 || first > 20 {
		t.Errorf("the last one begins at %d, want some 10", first)
	}
}

// Without Save a process that lasts has written what it knows.
func TestRememberWritesMeanwhile(t *testing.T) {
	dir := t.TempDir()
	process(t, dir, 40, 3*time.Second)
	files := func() (n int) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if files() != 1 {
		t.Fatalf("%d files, want one", files())
	}
	synctest.Test(t, func(t *testing.T) {
		memory, err := sweetspot.Remember(filepath.Join(dir, "inner"))
		if err != nil {
			t.Fatal(err)
		}
		l := sweetspot.New(sweetspot.Name("requests"), sweetspot.Sensor(idleMachine{}), memory)
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		s := &server{places: 10}
		together(40, func(int) {
			for ctx.Err() == nil {
				_ = l.Do(ctx, s.serve)
			}
		})
		if entries, err := os.ReadDir(filepath.Join(dir, "inner")); err != nil || len(entries) != 1 {
			t.Errorf("%v, %v; want one file after 12 s", entries, err)
		}
		// One that takes its name begins with what it knows by now.
		if next := sweetspot.New(sweetspot.Name("requests"), sweetspot.Sensor(idleMachine{}), memory, sweetspot.Start(1)); next.Limit() < 5 {
			t.Errorf("the next of that name begins at %d", next.Limit())
		}
	})
}

// remembering returns a memory in a folder, and options for Limiters that share a name in it.
func remembering(t *testing.T, dir string) (*sweetspot.Memory, []sweetspot.LimiterOption) {
	t.Helper()
	memory, err := sweetspot.Remember(dir)
	if err != nil {
		t.Fatal(err)
	}
	return memory, []sweetspot.LimiterOption{sweetspot.Name("requests"), sweetspot.Sensor(idleMachine{}), memory, sweetspot.Start(8)}
}

// learnSome has 100 callers use a server of 40 places through l for five seconds.
func learnSome(t *testing.T, l *sweetspot.Limiter) {
	s, began := &server{places: 40}, time.Now()
	together(100, func(int) {
		for time.Since(began) < 5*time.Second {
			_ = l.Do(t.Context(), s.serve)
		}
	})
}

// What another process has written since stays, as long as nothing new is learnt.
func TestRememberWritesNewsOnly(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		memory, opts := remembering(t, dir)
		l := sweetspot.New(opts...)
		save := func() string {
			t.Helper()
			if err := memory.Save(); err != nil {
				t.Fatal(err)
			}
			return onlyFile(t, dir)
		}
		learnSome(t, l)
		time.Sleep(time.Second) // until no ticks come any more
		file := save()
		const theirs = `{"version":1,"limit":3,"rate":1}`
		if err := os.WriteFile(file, []byte(theirs), 0o600); err != nil {
			t.Fatal(err)
		}
		save()
		if got, err := os.ReadFile(file); err != nil || string(got) != theirs {
			t.Errorf("a Save with no news wrote %s, %v", got, err)
		}
		if next := sweetspot.New(opts...); next.Limit() != 3 {
			t.Errorf("the next of that name begins at %d, want 3", next.Limit())
		}
	})
}

// A Limiter whose name another has taken is still heard.
func TestRememberHearsEarlierLimiters(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		memory, opts := remembering(t, dir)
		earlier, later := sweetspot.New(opts...), sweetspot.New(opts...)
		learn := func(l *sweetspot.Limiter) {
			t.Helper()
			learnSome(t, l)
			if err := memory.Save(); err != nil {
				t.Fatal(err)
			}
		}
		learn(earlier)
		file := onlyFile(t, dir)
		for _, l := range []*sweetspot.Limiter{later, earlier} {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			learn(l)
			onlyFile(t, dir)
		}
	})
}

// A Sensor that does not know the CPUs, or says nonsense, is as good as any.
func TestRememberWithoutCPUs(t *testing.T) {
	for _, cpus := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		dir := t.TempDir()
		strange := sweetspot.Sensor(sensor(func(int) sense.Sample { return sense.Sample{CPUs: cpus} }))
		if first, _, _ := process(t, dir, 40, 5*time.Second, strange); first != 2 {
			t.Errorf("%v CPUs: the first process begins at %d, want 2", cpus, first)
		}
		if first, _, _ := process(t, dir, 40, time.Second, strange); first == 2 {
			t.Errorf("%v CPUs: the second process begins at 2, too", cpus)
		}
	}
}

// onlyFile returns the path of the one file in a folder.
func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v; want one file", entries, err)
	}
	return filepath.Join(dir, entries[0].Name())
}

// What another kind of work, law or machine has found is not used, nor what nobody waited for.
func TestRememberTellsWorkApart(t *testing.T) {
	dir := t.TempDir()
	process(t, dir, 40, 5*time.Second)
	memory, err := sweetspot.Remember(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, opts := range map[string][]sweetspot.LimiterOption{
		"name":     {sweetspot.Name("replies"), sweetspot.Sensor(idleMachine{})},
		"law":      {sweetspot.Name("requests"), sweetspot.Sensor(idleMachine{}), sweetspot.Controller(control.NewSearch())},
		"quota":    {sweetspot.Name("requests"), sweetspot.Sensor(sensor(func(int) sense.Sample { return sense.Sample{CPUs: 3} }))},
		"observed": {sweetspot.Name("requests"), sweetspot.Sensor(idleMachine{}), sweetspot.Observe()},
	} {
		if l := sweetspot.New(append([]sweetspot.LimiterOption{memory, sweetspot.Start(3)}, opts...)...); l.Limit() != 3 {
			t.Errorf("another %s begins at %d", name, l.Limit())
		}
	}
	if l := sweetspot.New(memory, sweetspot.Name("requests"), sweetspot.Sensor(idleMachine{}), sweetspot.Max(7)); l.Limit() != 7 {
		t.Errorf("begins at %d above its Max of 7", l.Limit())
	}
}

func TestRememberSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"": "want a folder", blocked: blocked} {
		if m, err := sweetspot.Remember(path); m != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", path, m, err, want)
		}
	}
	if err := (*sweetspot.Memory)(nil).Save(); err != nil {
		t.Error(err)
	}
	memory, err := sweetspot.Remember(filepath.Join(dir, "learnt"))
	if err != nil {
		t.Fatal(err)
	}
	if v := refuse(func() { sweetspot.New(memory) }); v == nil || !strings.Contains(fmt.Sprint(v), "the option Name") {
		t.Errorf("without a name: %v", v)
	}

	process(t, filepath.Join(dir, "learnt"), 10, 3*time.Second)
	entries, err := os.ReadDir(filepath.Join(dir, "learnt"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "learnt", entries[0].Name()), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	first, _, _ := process(t, filepath.Join(dir, "learnt"), 10, time.Second, sweetspot.Logger(slog.New(slog.NewTextHandler(&log, nil))))
	if first != 2 || !strings.Contains(log.String(), "WARN") || !strings.Contains(log.String(), entries[0].Name()+": it is damaged") {
		t.Errorf("begins at %d with a damaged file, and logs %.300s", first, &log)
	}
}

// A folder that goes away fails the next Save, and no call.
func TestRememberWithoutAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "learnt")
	synctest.Test(t, func(t *testing.T) {
		memory, err := sweetspot.Remember(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		l := sweetspot.New(sweetspot.Name("requests"), sweetspot.Sensor(idleMachine{}), memory)
		s := &server{places: 10}
		began := time.Now()
		together(40, func(int) {
			for time.Since(began) < 12*time.Second {
				if err := l.Do(t.Context(), s.serve); err != nil {
					t.Error(err)
				}
			}
		})
		if err := memory.Save(); err == nil || !strings.Contains(err.Error(), "what was learnt is not kept") {
			t.Errorf("Save: %v", err)
		}
	})
}
