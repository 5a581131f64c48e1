package simcmd_test

import (
	"encoding/json"
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
