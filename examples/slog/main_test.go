package main_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"

	program "github.com/sweetspot-go/sweetspot/examples/slog"
)

// TestRecords: every decision is one line of JSON with what the documentation
// promises.
func TestRecords(t *testing.T) {
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelDebug} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			if err := program.Run(&out, level, 500); err != nil {
				t.Fatal(err)
			}
			kinds := make(map[string]int)
			dec := json.NewDecoder(&out)
			dec.DisallowUnknownFields()
			for dec.More() {
				var r struct {
					Time, Level, Msg                    string
					Service, Limiter, Kind, Why, Active string
					From, To, Units, Limit              int
					Gain                                float64
				}
				if err := dec.Decode(&r); err != nil {
					t.Fatal(err)
				}
				if r.Msg == "done" {
					if r.Units != 500 {
						t.Errorf("%d units, want 500", r.Units)
					}
					continue
				}
				kinds[r.Kind]++
				if r.Service != "example" || r.Limiter != "lookups" || r.Why == "" || r.From < 1 || r.To < 1 {
					t.Errorf("%+v", r)
				}
				if r.Kind == "manual" && r.To != r.From+1 {
					t.Errorf("set manually from %d to %d", r.From, r.To)
				}
			}
			if kinds["manual"] != 1 {
				t.Errorf("kinds %v, want one set manually", kinds)
			}
			if level == slog.LevelInfo && kinds["probe"]+kinds["stay"]+kinds["start"] > 0 {
				t.Errorf("at level Info: %v", kinds)
			}
			if level == slog.LevelDebug && kinds["start"] != 1 {
				t.Errorf("at level Debug: %v, want one start", kinds)
			}
		})
	}
}
