package simcmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTrace(t *testing.T) {
	out := mustRun(t, "--file", "-", "--scenario", "stepped", "--controller", "fixed:7,fixed", "--trace")
	var at float64
	points, changes := 0, 0
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, text := range lines {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, text)
		}
		switch line["type"] {
		case "run":
			if i != 0 || line["version"] != 2.0 || line["scenario"] != "stepped" || line["controller"] != "fixed(7)" || line["seed"] != 1.0 || line["cpus"] != 2.0 || line["seconds"] != 6.0 {
				t.Errorf("line %d: %s", i+1, text)
			}
		case "change":
			changes++
			if line["from"] != 2.0 || line["to"] != 7.0 || line["at"] != 0.01 {
				t.Errorf("line %d: %s", i+1, text)
			}
		case "point":
			points++
			if line["limit"] != 7.0 || line["in_flight"] != 7.0 || line["at"].(float64) <= at || line["cpu"].(float64) > 1 {
				t.Errorf("line %d: %s", i+1, text)
			}
			at = line["at"].(float64)
			for _, key := range []string{"nstar", "x", "x_best", "rate"} {
				if x, ok := line[key].(float64); !ok || x <= 0 {
					t.Errorf("line %d: %s is %v", i+1, key, line[key])
				}
			}
		case "result":
			if i != len(lines)-1 || line["settled"] != nil || line["score"].(float64) < 0.1 || line["completed"].(float64) < 100 {
				t.Errorf("line %d: %s", i+1, text)
			}
		default:
			t.Errorf("line %d: %s", i+1, text)
		}
	}
	if points != 60 || changes != 1 || len(lines) != 63 {
		t.Errorf("%d points, %d changes, %d lines", points, changes, len(lines))
	}
}

// Decisions after the last point belong to the run as well.
func TestTraceAfterLastPoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	const scenario = "scenario brief\n\tcpus 2\n\tseconds 1.05\n\tcpu exp(1ms)\n\twait exp(5ms)\n"
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	out := mustRun(t, "--file", file, "--controller", "aimd", "--trace") // decides at 0.01, 0.11 and so on
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range []string{`{"type":"point","at":1,`, `{"type":"change","at":1.01,`, `{"type":"result",`} {
		if got := lines[len(lines)-3+i]; !strings.HasPrefix(got, want) {
			t.Errorf("%s, want a line that begins with %s", got, want)
		}
	}
}
