package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

var small = options{slots: 4, mean: 20 * time.Millisecond, cv: 0.3, step: 30 * time.Millisecond, rounds: 1}

// Every subject serves some requests of a short run, and all are accounted for.
func TestSubjectsServe(t *testing.T) {
	for _, s := range subjects {
		v := judge(t.Context(), s, small, 1)
		if len(v.steps) != len(loads) {
			t.Fatalf("%s: %d steps", s.name, len(v.steps))
		}
		served := 0.0
		for _, st := range v.steps {
			served += st.p50.Seconds()
			if st.refused < 0 || st.refused > 1 {
				t.Errorf("%s: %+v", s.name, st)
			}
		}
		if served == 0 {
			t.Errorf("%s: nothing was served", s.name)
		}
		var out bytes.Buffer
		v.print(&out)
		summary(&out, []verdict{v})
		if !strings.Contains(out.String(), s.name) || strings.Count(out.String(), "\n") < len(loads)+4 {
			t.Errorf("report:\n%s", &out)
		}
	}
}

func TestStep(t *testing.T) {
	o := options{slots: 1, mean: 100 * time.Millisecond, step: time.Second}
	all := []response{{took: 10, status: 200}, {took: 30, status: 204}, {took: 99, status: 200}, {took: 1, status: 503}, {status: 0}}
	s := newStep(2, all, []look{{0, 3}, {1, 5}, {2, 4}}, 50, o)
	want := step{load: 2, goodput: 0.2, p50: 30, p99: 99, refused: 0.2, failed: 1, limit: 4}
	if s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}

// The limit is right from 1 s on, and so is what is answered.
func TestTold(t *testing.T) {
	o := options{slots: 10, mean: 100 * time.Millisecond, step: 2 * time.Second}
	var all []response
	var limits []look
	for at := time.Duration(0); at < 4*time.Second; at += 10 * time.Millisecond {
		n := 30
		if at >= time.Second {
			n = 11
		}
		limits = append(limits, look{at, n})
		all = append(all, response{at: at, took: 10 * time.Millisecond, status: 200})
	}
	got := told(all, limits, time.Second, 10, o)
	if got < 400*time.Millisecond || got > time.Second {
		t.Errorf("right after %v, want about half a second: a median of one has 11", got)
	}
	if got := told(all, limits, time.Millisecond, 10, o); got != -1 {
		t.Errorf("right after %v though nothing is in time", got)
	}
	if got := told(all, limits, time.Second, 20, o); got != -1 {
		t.Errorf("right after %v, for 20 slots", got)
	}
}

func TestOptions(t *testing.T) {
	good := options{slots: 10, mean: 50 * time.Millisecond, cv: 0.3, step: time.Second, rounds: 1}
	if err := good.validate(); err != nil {
		t.Error(err)
	}
	for want, edit := range map[string]func(*options){
		"at most 2000":     func(o *options) { o.slots = 11 },
		"at least 2 slots": func(o *options) { o.slots = 1 },
		"one round":        func(o *options) { o.rounds = 0 },
	} {
		o := good
		edit(&o)
		if err := o.validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", o, err, want)
		}
	}
	if o, err := parse([]string{"-only", "vegas,failsafe-"}, io.Discard); err != nil || len(o.subjects) != 2 || o.subjects[1].name != "failsafe-queue" {
		t.Error(o, err)
	}
	if _, err := parse([]string{"-only", "reno"}, io.Discard); err == nil || !strings.Contains(err.Error(), "want some of sweetspot,vegas") {
		t.Error(err)
	}
}

// Clients that hammer get answers from the unlimited server, and answers or refusals from
// one with a limit.
func TestHammer(t *testing.T) {
	for _, s := range []subject{unlimited, subjects[0]} {
		in, stop := io.Pipe()
		out, address := io.Pipe()
		served := make(chan error)
		go func() { served <- serve(t.Context(), s, 100, in, address) }()
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		got, err := hammer(t.Context(), strings.TrimSpace(line), 8, 20*time.Millisecond, 200*time.Millisecond)
		if err != nil || got.answers == 0 || len(got.took) != got.answers || got.took[0] < hammerWaits || s.name == unlimited.name && got.refusals > 0 {
			t.Errorf("%s: %+v, %v", s.name, got, err)
		}
		stop.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}
