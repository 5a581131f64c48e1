package lab_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func onlySmall(t *testing.T) { t.Cleanup(lab.OnlySmall()) }

// command runs the lab command in this process; it starts the test program for
// each sample.
func command(args ...string) (stdout, stderr string, err error) {
	c := lab.Command()
	var out, errOut bytes.Buffer
	c.SetOut(&out)
	c.SetErr(&errOut)
	c.SetIn(strings.NewReader(""))
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	err = c.Execute()
	return out.String(), errOut.String(), err
}

// The list is experiments.md of the project, in full.
func TestEveryExperimentIsThere(t *testing.T) {
	want := strings.Fields("A1 A2 A3 A4 A5 A6 A7 A8 A9 B1 B2 B3 B4 C1 C2 C3 C4 C5 C6 C7 D1 D2 D3 D4 D5 D6 E1 E2 E3 E4 E5 E6 E7 E8 E9 E10 E11 E12")
	if got := lab.IDs(); !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
	out, _, err := command("list")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(want) {
		t.Fatalf("list prints %d lines, want %d", len(lines), len(want))
	}
	for i, id := range want {
		if !strings.HasPrefix(lines[i], id+"  ") {
			t.Errorf("line %d is %q, want %s", i+1, lines[i], id)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"B1", "B1"},
		{"d2 A1 a1 D2", "A1 D2"},
		{"b A9", "A9 B1 B2 B3 B4"},
		{"all", strings.Join(lab.IDs(), " ")},
	} {
		got, err := lab.Choose(strings.Fields(c.names)...)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v, want %s", c.names, got, err, c.want)
		}
	}
}

func TestBadInput(t *testing.T) {
	onlySmall(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := write("other.json", `{"version": 7}`)
	table := write("table.txt", "A6 is fine")
	for _, c := range []struct{ args, want string }{
		{"run", "lab run: which experiments? IDs as in lab list, the letter of an article, or all"},
		{"run Z3", `lab run: unknown experiment "Z3": want S1, S2, S3, T1`},
		{"run S1 nothing", `lab run: unknown experiment "nothing": want S1`},
		{"run S1 --size huge", `lab run: --size is "huge", want quick, full or article`},
		{"run S1 --quick --size full", "[quick size] were all set"},
		{"run S1 --rounds -3", "lab run: --rounds is -3, want 1 or more"},
		{"run S1 --rounds 0", "lab run: --rounds is 0, want 1 or more"},
		{"compare S1 a b --rounds 0", "lab compare: --rounds is 0, want 1 or more"},
		{"run S1 --rounds many", `invalid argument "many" for "--rounds"`},
		{"run S1 --json - --html -", "lab run: --json - and --html - would both write to standard output"},
		{"run S1 --json missing/x", "lab run: --json: open missing/x: no such file"},
		{"run S1 --svg " + table, "lab run: --svg: "},
		{"run S1 --nonsense", "unknown flag: --nonsense"},
		{"report", "which figures? a FILE that lab run has written with --json"},
		{"report a b", "b is left over"},
		{"report missing.json", "lab report: open missing.json: no such file"},
		{"report " + dir, "is a directory"},
		{"report " + other, "lab report: reading figures: the file is of version 7, want 1"},
		{"report " + table, "lab report: reading figures: invalid character"},
		{"report -", "lab report: reading figures: EOF"},
		{"measure nonsense", "the order is not readable"},
		{`measure {"experiment":"Z3"}`, `unknown experiment "Z3"`},
		{`measure {"experiment":"S1","point":"none/0"}`, `experiment S1 has no point "none/0"`},
		{`measure {"experiment":"S1","point":"spin/0","cpus":1000}`, "GOMAXPROCS is"},
	} {
		out, progress, err := command(strings.Fields(c.args)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.args, err, c.want)
		}
		if out != "" || strings.Contains(progress, "round") {
			t.Errorf("%s: printed %q and %q", c.args, out, progress)
		}
	}
}

// A run writes valid figures, and its reports come from them alone.
func TestRunAndReport(t *testing.T) {
	onlySmall(t)
	first, second := t.TempDir(), t.TempDir()
	in := func(dir, name string) string { return filepath.Join(dir, name) }
	table, progress, err := command("run", "S", "--quick", "--rounds", "2",
		"--json", in(first, "f.json"), "--html", in(first, "f.html"), "--bench", in(first, "f.txt"), "--svg", in(first, "svg"))
	if err != nil {
		t.Fatal(err)
	}
	if progress != "round 1 of 2\n" && !strings.HasPrefix(progress, "round 1 of 2\nround 2 of 2, about ") {
		t.Errorf("progress is %q", progress)
	}
	again, progress, err := command("report", in(first, "f.json"), "--html", in(second, "f.html"), "--bench", in(second, "f.txt"), "--svg", in(second, "svg"))
	if err != nil || progress != "" {
		t.Fatalf("%v, %q", err, progress)
	}
	if again != table || !strings.Contains(table, "S1  Small S1\n") || !strings.Contains(table, "size     20,000 turns (article: 80,000 turns)") ||
		!strings.Contains(table, "here     shows here: 2 points") || !strings.Contains(table, "times as good as spin (") {
		t.Errorf("the tables are %s\nand %s", table, again)
	}
	for _, name := range []string{"f.html", "f.txt", "svg/overview.svg", "svg/s1.svg", "svg/s2.svg", "svg/s3.svg"} {
		a, errA := os.ReadFile(in(first, name))
		b, errB := os.ReadFile(in(second, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %d and %d bytes, %v, %v", name, len(a), len(b), errA, errB)
		}
	}
	f := figuresIn(t, in(first, "f.json"))
	if f.Run.Scale != "quick" || f.Run.Rounds != 2 || len(f.Experiments) != 3 {
		t.Errorf("%+v", f.Run)
	}
	for _, e := range f.Experiments {
		for _, p := range e.Points {
			if len(p.Samples) != 2 || p.Low > p.Y || p.High < p.Y {
				t.Errorf("%s: %+v", e.ID, p)
			}
		}
	}
	if place := f.Experiments[2].Points[0]; place.Size != "10,000 turns" || f.Experiments[2].Points[1].Size != "" || !strings.Contains(table, "\n             10,000 turns: place at 2\n") {
		t.Errorf("the size of %+v is not told:\n%s", place, table)
	}
	if page, err := os.ReadFile(in(first, "f.html")); err != nil || !strings.Contains(string(page), "<td>10,000 turns</td>") || strings.Count(string(page), `<th scope="col">size</th>`) != 1 {
		t.Errorf("the page does not tell the size of one point: %v", err)
	}
	if best := f.Experiments[2].Ours.Best; best != "place, workers 2" {
		t.Errorf("ours is compared with %q", best)
	}
}

// A full disk does not cost what was measured: the table and the other files are written.
func TestRunOnFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	onlySmall(t)
	page := filepath.Join(t.TempDir(), "f.html")
	table, _, err := command("run", "S1", "--quick", "--rounds", "1", "--json", "/dev/full", "--html", page)
	if err == nil || !strings.Contains(err.Error(), "--json: ") || !strings.Contains(table, "S1  Small S1") {
		t.Errorf("error %v, table %q, want the table and that --json failed", err, table)
	}
	if html, err := os.ReadFile(page); err != nil || len(html) == 0 {
		t.Errorf("the page has %d bytes, %v", len(html), err)
	}
}

// figuresIn reads a file that has to be valid.
func figuresIn(t *testing.T, path string) *figures.File {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	validate(t, text)
	f, err := figures.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func validate(t *testing.T, text []byte) {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(figures.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("figures.json", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("figures.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Error(err)
	}
}

// Lines of the table are short; a long word has one of its own.
func TestTable(t *testing.T) {
	onlySmall(t)
	f := figures.File{Machine: figures.Machine{CPUs: 2, OS: "linux", Arch: "arm64", Go: "go1.26"}, Run: figures.Run{Scale: "quick", Rounds: 6, Seconds: 2.4},
		Version: 1, Experiments: []figures.Experiment{{
			ID: "A6", Title: "Counting", Claim: strings.Repeat("500 µs ", 30), SizeHere: "1 unit", SizeArticle: "2 units",
			Verdict: strings.Repeat("x", 120) + " it was", Effect: figures.Shows, Holds: true, Notes: []string{"first", "second"},
			Ours: &figures.Ours{Label: "Map", Y: 1.5e6, Unit: "ns/unit", Ratio: 1.25, Low: 1.1, High: 1.4, Best: "Do, workers 2"},
			Axis: figures.Axis{Name: "workers"},
			Points: []figures.Point{
				{Label: "Do", X: 1}, {Label: "empty", X: 1, Size: "9 empty units"}, {Label: "empty", X: 4, Size: "9 empty units"},
				{Label: "tied", X: 1, Size: "2 units"}, {Label: "tied", X: 2, Size: "1 unit"}, {Label: "Map", Size: "9 empty units"},
			},
		}}}
	file := filepath.Join(t.TempDir(), "f.json")
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, err := command("report", file)
	if err != nil {
		t.Fatal(err)
	}
	const indent = "             "
	want := "unknown CPU, 2 CPUs, linux/arm64, go1.26; quick, 6 rounds, 2 s\n\nA6  Counting\n" +
		"    claim    " + strings.TrimSpace(strings.Repeat("500 µs ", 12)) + " 500\n" +
		indent + "µs " + strings.TrimSpace(strings.Repeat("500 µs ", 12)) + "\n" +
		indent + strings.TrimSpace(strings.Repeat("500 µs ", 5)) + "\n" +
		"    size     1 unit (article: 2 units)\n" +
		indent + "9 empty units: empty at 1 4; Map\n" +
		indent + "2 units: tied at 1\n" +
		indent + "1 unit: tied at 2\n" +
		"    here     shows here:\n" + indent + strings.Repeat("x", 120) + "\n" + indent + "it was\n" +
		"    ours     Map: 1.50 ms/unit, 1.25 times as good as Do, workers 2 (1.10 to 1.40)\n" +
		"    note     first\n    note     second\n"
	if out != want {
		t.Errorf("printed\n%s\nwant\n%s", out, want)
	}
}

// Standard output takes one output in place of the table.
func TestStandardOutput(t *testing.T) {
	onlySmall(t)
	out, _, err := command("run", "S2", "--quick", "--rounds", "1", "--json", "-")
	if err != nil {
		t.Fatal(err)
	}
	validate(t, []byte(out))
	out, _, err = command("run", "S2", "--quick", "--rounds", "1", "--bench", "-")
	if err != nil || !strings.HasPrefix(out, "# sweetspot lab: ") || strings.Contains(out, "Small S2") {
		t.Errorf("%v, %q", err, out)
	}
}

// One sample of each point has no span, so that anything would seem to show.
func TestOneRoundTellsNothing(t *testing.T) {
	onlySmall(t)
	for rounds, want := range map[int]figures.Effect{1: figures.Untold, 2: figures.Shows} {
		f, err := lab.Runner{Rounds: rounds}.Measure(t.Context(), "S2")
		if err != nil {
			t.Fatal(err)
		}
		e := f.Experiments[0]
		if e.Effect != want || e.Holds != (want == figures.Shows) || strings.HasPrefix(e.Verdict, "in one round") != (rounds == 1) {
			t.Errorf("in %d rounds it %s: %s", rounds, e.Effect, e.Verdict)
		}
	}
}

// Processes have the CPUs, the environment and the collector of their point.
func TestProcesses(t *testing.T) {
	onlySmall(t)
	t.Setenv("GOGC", "")
	value := func() map[string]float64 {
		f, err := lab.Runner{Rounds: 1}.Measure(t.Context(), "S2")
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]float64{}
		for _, p := range f.Experiments[0].Points {
			values[p.Label] = p.Y
			if p.Label == "GOMAXPROCS" && p.CPUs != 1 {
				t.Errorf("%s has %d CPUs", p.Label, p.CPUs)
			}
		}
		return values
	}
	if v := value(); v["GOMAXPROCS"] != 1 || v["GOGC"] != 100 || v["env"] != 4277 {
		t.Errorf("%v, want 1, 100 and 4277", v)
	}
	t.Setenv("GOGC", "55")
	if v := value(); v["GOGC"] != 55 {
		t.Errorf("%v, want 55 as the user has it", v)
	}
}

// What is broken fails loudly, with its reason, and leaves the others alone.
func TestBrokenExperimentsFail(t *testing.T) {
	rerun.Skip(t)
	onlySmall(t)
	dir := t.TempDir()
	file, html := filepath.Join(dir, "f.json"), filepath.Join(dir, "f.html")
	out, _, err := command("run", "T1", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "S1", "--quick", "--rounds", "2", "--json", file, "--html", html)
	if err == nil || !strings.HasSuffix(err.Error(), "some experiments failed: T1, T3, T4, T5, T6, T7, T8, T9") {
		t.Fatalf("error %v", err)
	}
	f := figuresIn(t, file)
	want := map[string]string{
		"S1": "",
		"T1": "wrong result/0: exit status 1: 2 + 2 is 5",
		"T3": "panic: out of cheese",
		"T4": "no number/0: exit status 1: json: unsupported value: NaN",
		"T5": "not ready/0: exit status 1: no such device",
		"T6": "does not end well/0: exit status 1: a server is left",
		"T7": "its figures could not be judged: lab: T7 has no point missing at 3",
		"T8": "its figures are not all numbers: [0 +Inf 0 0]",
		"T9": "it has no verdict",
	}
	for _, e := range f.Experiments {
		reason, ok := want[e.ID]
		delete(want, e.ID)
		if !ok || !strings.Contains(e.Error, reason) || (e.Error == "") != (reason == "") {
			t.Errorf("%s: error %q, want %q", e.ID, e.Error, reason)
		}
		if e.Error != "" && (e.Holds || e.Ours != nil || !strings.Contains(out, "FAILED")) {
			t.Errorf("%s failed, and yet: %+v\n%s", e.ID, e, out)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	page, err := os.ReadFile(html)
	if err != nil || !strings.Contains(string(page), "<strong>8 experiments failed.</strong>") {
		t.Errorf("the page does not say that 8 experiments failed: %v", err)
	}
	if !strings.Contains(out, "\n1 shows here what the article says, 0 do not, 0 are undecided at this size, ") || !strings.HasSuffix(out, "\nFAILED: T1, T3, T4, T5, T6, T7, T8, T9\n") {
		t.Errorf("the table does not end in a summary: %s", out)
	}
	if !strings.Contains(out, "S1  Small S1") || !strings.Contains(out, "times as good as spin") {
		t.Errorf("S1 is not there: %s", out)
	}
}

func TestHangsEnd(t *testing.T) {
	onlySmall(t)
	f, err := lab.Runner{Rounds: 3, Patience: 500 * time.Millisecond}.Measure(t.Context(), "T2")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Experiments[0].Error; got != "hangs/0: no end within 500ms" {
		t.Errorf("error %q", got)
	}
}

// An end of the context ends the process that measures, and there are no figures.
func TestInterrupt(t *testing.T) {
	if n := interrupted(t, "T2"); !ended(n) {
		t.Error("the process that measured still runs")
	}
}

// interrupted measures an experiment that hangs, and stops that once its process
// has said which one it is.
func interrupted(t *testing.T, id string) (pid int) {
	t.Helper()
	onlySmall(t)
	said := filepath.Join(t.TempDir(), "pid")
	t.Setenv("LAB_TEST_PID", said)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	begun := make(chan int, 1)
	go func() {
		defer cancel(enough)
		for ctx.Err() == nil {
			if text, err := os.ReadFile(said); err == nil {
				n, _ := strconv.Atoi(string(text))
				begun <- n
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	f, err := lab.Runner{Rounds: 2}.Measure(ctx, id)
	if f != nil || !errors.Is(err, enough) || !strings.Contains(err.Error(), "stopped in round 1 of 2, nothing is written") {
		t.Errorf("%v, error %v", f, err)
	}
	select {
	case pid = <-begun:
	default:
		t.Fatal("the process has not begun to measure")
	}
	return pid
}

// ended reports whether a process has, and ends it otherwise.
func ended(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return true // there is none
	}
	if process.Signal(syscall.Signal(0)) != nil {
		return true
	}
	process.Kill()
	return false
}

// Half the work takes less time: figures are of the work. This is the one test
// that looks at time, so it may try often: a busy machine passes in one of them.
func TestHalfTheWork(t *testing.T) {
	rerun.Skip(t)
	var ratios []float64
	for range 20 {
		measure := func(n int) *figures.Point {
			f, err := lab.Runner{
				Rounds: 3, Size: n,
				Only: func(label string, x float64) bool { return label == "Do" && x == 1 },
			}.Measure(t.Context(), "A3")
			if err != nil {
				t.Fatal(err)
			}
			e := f.Experiments[0]
			if e.Error != "" || len(e.Points) != 1 {
				t.Fatalf("%d points, error %q", len(e.Points), e.Error)
			}
			if want := strconv.Itoa(n) + " "; !strings.HasPrefix(e.SizeHere, want) {
				t.Errorf("the size is %q, want %s", e.SizeHere, want)
			}
			return &e.Points[0]
		}
		whole, half := measure(12), measure(6)
		ratios = append(ratios, half.Y/whole.Y)
		if half.Y < 0.8*whole.Y {
			return
		}
	}
	t.Errorf("half the work takes %v of the time", ratios)
}

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	lab.Told(&b, 0)
	if want := "round 1 of 2\nround 2 of 2, about 3s left\n"; b.String() != want {
		t.Errorf("printed %q, want %q", b.String(), want)
	}
	for _, columns := range []int{80, 30} {
		b.Reset()
		lab.Told(&b, columns)
		lines := strings.Split(b.String(), "\r")
		for i, want := range map[int]string{
			0: "", 1: "round 1 of 2: 1 of 3, S1 a rather long label", 2: "round 1 of 2: 2 of 3, S1 short",
			6: "round 2 of 2: 3 of 3, about 1s left, S1 mid", 7: "",
		} {
			if i%7 != 0 {
				want = humanize.Clip(want, columns-1) + "\x1b[K"
			} else if i > 0 {
				want += "\x1b[K"
			}
			if lines[i] != want {
				t.Errorf("%d columns: printed %q, want %q", columns, lines[i], want)
			}
		}
	}
}
