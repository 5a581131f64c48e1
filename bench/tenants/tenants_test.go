package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

// Every tenant does what it is said to, and so does its twin.
func TestTenants(t *testing.T) {
	for _, tenant := range tenants() {
		site, err := tenant.open()
		if err != nil {
			t.Fatal(err)
		}
		other, hostile, harmless, err := site.connect()
		if err != nil {
			t.Fatal(err)
		}
		if !other(t.Context()) || hostile(t.Context()) || !harmless(t.Context()) {
			t.Errorf("%s: want the hostile request to fail, and no other", tenant.name)
		}
		site.close()
	}
}

// A short run counts what is sent in each phase, and the table has a row for each.
func TestMeasure(t *testing.T) {
	b := &bench{log: io.Discard, options: options{tenants: tenants()[:1], sizes: []int{2}, others: 2, settle: time.Millisecond, length: 100 * time.Millisecond, rounds: 1}}
	if err := b.measure(t.Context(), b.tenants[0], 2); err != nil {
		t.Fatal(err)
	}
	if len(b.samples) != 3 {
		t.Fatalf("%d samples, want 3: %+v", len(b.samples), b.samples)
	}
	for _, s := range b.samples {
		if s.Others <= 0 || (s.Sent > 0) == (s.Phase == withNobody) {
			t.Errorf("%+v", s)
		}
	}
	if table := b.table(); strings.Count(table, "\n") != 3 || !strings.Contains(table, "| `http-quota` is answered 429 at once | 2 |") {
		t.Errorf("table:\n%s", table)
	}
}

// The share is that of each round, and its median and least are shown.
func TestTable(t *testing.T) {
	b := &bench{options: options{tenants: tenants()[:1], sizes: []int{4}}}
	for round, others := range []float64{90, 50, 100} {
		for p, x := range map[phase]float64{withHostile: others, withHarmless: 100, withNobody: 200} {
			b.samples = append(b.samples, sample{Tenant: "http-quota", Connections: 4, Round: round, Phase: p, Others: x})
		}
	}
	if table := b.table(); !strings.Contains(table, "| 90/s | 100/s | 200/s | **0.90** | 0.50 |") {
		t.Errorf("table:\n%s", table)
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-rounds 0": "-others and -rounds: want 1 or more", "-others 0": "want 1 or more", "-length 0s": "want a time, such as 8s", "-only ftp": "http-quota",
	} {
		if _, err := parseFlags(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", args, err, want)
		}
	}
	if o, err := parseFlags([]string{"-quick", "-only", "grpc"}, io.Discard); err != nil || len(o.tenants) != 2 || o.rounds != 1 {
		t.Errorf("%+v, %v", o, err)
	}
}
