package simcmd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/simcmd"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestAutoscaleErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"x"}, "unknown command"},
		{[]string{"--service", "night"}, `no service "night": want one of published1, published6`},
		{[]string{"--law", "pid"}, `unknown law "pid": want demand`},
		{[]string{"--law", ""}, "no law"},
		{[]string{"--law", "hpa:2"}, "want a utilisation above 0 and at most 1"},
		{[]string{"--law", "hpa,hpa"}, `law "hpa" is given twice`},
		{[]string{"--seeds", "0-"}, "want numbers and ranges"},
		{[]string{"--json", "-", "--html", "-"}, "only one of them"},
		{[]string{"--json", filepath.Join(dir, "no", "f")}, "--json: open"},
		{[]string{"--html", filepath.Join(dir, "no", "f")}, "--html: open"},
	} {
		if out, err := sweetspot(append([]string{"autoscale"}, c.args...)...); err == nil || !strings.Contains(err.Error(), c.want) || out != "" {
			t.Errorf("sim autoscale %q: %v; want an error with %q\n%s", c.args, err, c.want, out)
		}
	}
}

// scaled is what the JSON of sim autoscale promises.
type scaled struct {
	Version  int
	Seeds    []uint64
	Services []struct {
		Name, About   string
		Seconds, Step float64
		Laws          []map[string]any
	}
}

func TestAutoscaleJSON(t *testing.T) {
	rerun.Skip(t)
	file := filepath.Join(t.TempDir(), "r.json")
	out := mustRun(t, "autoscale", "--service", "flash", "--law", "demand,hpa:0.6", "--seeds", "3,5", "--json", file)
	if !strings.HasPrefix(out, "2 seeds: medians") || strings.Count(out, "\nflash ") != 2 {
		t.Errorf("the table is\n%s", out)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d scaled
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	if d.Version != 2 || len(d.Seeds) != 2 || len(d.Services) != 1 {
		t.Fatalf("%+v", d)
	}
	s := d.Services[0]
	if s.Name != "flash" || s.About == "" || s.Seconds != 2400 || s.Step != 15 || len(s.Laws) != 2 || s.Laws[0]["law"] != "demand" || s.Laws[1]["law"] != "hpa:0.6" {
		t.Fatalf("%+v", s)
	}
	for _, l := range s.Laws {
		for _, key := range []string{"requests", "waiting", "mean", "p99", "replica_seconds", "peak", "peak_need", "overshoot", "excess", "shortage", "changes", "waiting_ratio", "cost_ratio"} {
			if x, ok := l[key].(float64); !ok || x < 0 {
				t.Errorf("%v: %s is %v", l["law"], key, l[key])
			}
		}
	}
	ours, theirs := s.Laws[0], s.Laws[1]
	if want := ours["waiting"].(float64) / theirs["waiting"].(float64); ours["waiting_ratio"] != want || theirs["waiting_ratio"] != 1.0 {
		t.Errorf("ratios %v and %v, want %v and 1", ours["waiting_ratio"], theirs["waiting_ratio"], want)
	}
	one := []string{"autoscale", "--service", "flash", "--law", "demand", "--seeds", "1", "--json"}
	mustRun(t, append(one, file)...)
	if b, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	if piped := mustRun(t, append(one, "-")...); piped != string(b) {
		t.Error("--json - differs from --json FILE")
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	if x, ok := d.Services[0].Laws[0]["waiting_ratio"]; !ok || x != nil {
		t.Errorf("a ratio to nothing is %v, want null", x)
	}
}

// TestAutoscaleBars holds the law to its bars against the threshold autoscaler, half of
// its waiting at a tenth more cost at most, and sees that another gain misses them.
func TestAutoscaleBars(t *testing.T) {
	rerun.Serial(t)
	if testing.Short() {
		t.Skip("simulates a day")
	}
	for law, want := range map[string]bool{"demand": true, "demand:0.05": false} {
		var d scaled
		if err := json.Unmarshal([]byte(mustRun(t, "autoscale", "--service", "daynight", "--law", law+",hpa", "--seeds", "1", "--json", "-")), &d); err != nil {
			t.Fatal(err)
		}
		first := d.Services[0].Laws[0]
		waiting, cost := first["waiting_ratio"].(float64), first["cost_ratio"].(float64)
		if met := waiting <= 0.5 && cost <= 1.1; met != want {
			t.Errorf("%s: %v of the waiting at %v of the cost, bars met: %v", law, waiting, cost, met)
		}
	}
}

func TestAutoscaleHTML(t *testing.T) {
	rerun.Serial(t)
	text, p := readPage(t, "autoscale", "--service", "flash,ten-thousand", "--law", "demand,hpa,compensated:0.8", "--seeds", "1")
	if len(p.captions) != 6 || len(p.tables) != 1 || len(p.tables[0]) != 1+6 || len(text) > 300_000 {
		t.Fatalf("%d pictures, %d tables, %d bytes", len(p.captions), len(p.tables), len(text))
	}
	i := 0
	for _, service := range []string{"flash", "ten-thousand"} {
		if !p.ids[service] {
			t.Errorf("no part for %s", service)
		}
		for _, law := range []string{"demand", "hpa", "compensated:0.8"} {
			row := p.tables[0][1+i]
			if row[0] != service || row[1] != law || len(row) != len(p.tables[0][0]) || !strings.Contains(p.captions[i], law) || !strings.Contains(p.captions[i], "waiting "+row[2]+" s") {
				t.Errorf("row %q, caption %q, want %s by %s", row, p.captions[i], service, law)
			}
			i++
		}
	}
	for _, trace := range []string{"serve: replicas", "asked for: replicas", "need: replicas", "requests waiting: requests"} {
		if n := p.count(trace); n != 6 {
			t.Errorf("%d lines %q, want one a picture", n, trace)
		}
	}
}

func TestAutoscaleNamesItsServices(t *testing.T) {
	help := mustRun(t, "autoscale", "--help")
	for _, s := range sim.Services() {
		if !strings.Contains(help, s.Name) {
			t.Errorf("the help does not name %s", s.Name)
		}
	}
}

func ExampleCommand_autoscale() {
	c := simcmd.Command()
	c.SetArgs([]string{"autoscale", "--service", "flash", "--law", "demand,hpa", "--seeds", "1"})
	c.SetOut(os.Stdout)
	if err := c.Execute(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 seed: medians; waiting for a replica and its cost, and both over the threshold autoscaler's
	// service      law       waiting s    mean s     p99 s    replica-s    peak/need overshoot  waiting     cost
	// flash        demand    6.907e+06      17.8      56.5        73350       103/72       43%    0.105    0.671
	// flash        hpa       6.581e+07       169       260   1.0938e+05       108/72       50%    1.000    1.000
}
