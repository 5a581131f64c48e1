package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestValidate(t *testing.T) {
	good := sim.Scenario{Name: "a", P: 1, Seconds: 1, Phases: []sim.Phase{{CPU: sim.Dist{Kind: sim.Constant, A: 1}}}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*sim.Scenario){
		"has no name":             func(s *sim.Scenario) { s.Name = "" },
		"must begin at 0":         func(s *sim.Scenario) { s.Phases = nil },
		"kind 99 does not exist":  func(s *sim.Scenario) { s.Phases[0].CPU.Kind = 99 },
		"the mean must be above":  func(s *sim.Scenario) { s.Phases[0].CPU.A = -1 },
		"cpus is -1":              func(s *sim.Scenario) { s.P = -1 },
		"time constant is 0":      func(s *sim.Scenario) { s.Noise = 0.1 },
		"the first phase must be": func(s *sim.Scenario) { s.Phases[0].From = 1 },
	} {
		s := good
		s.Phases = append([]sim.Phase(nil), good.Phases...)
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want an error with %q", err, want)
		}
	}
}

func ExampleScenario_Validate() {
	fmt.Println(sim.Scenario{Name: "empty", P: 4, Seconds: 10}.Validate())
	// Output: scenario "empty": the first phase must begin at 0
}
