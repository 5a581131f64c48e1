package diagnose

import (
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A Finding is a cause of lost time, with what shows it and what fixes it.
type Finding struct {
	Check string          `json:"check"` // the name of a check of sweetspot vet, or of a Cause
	Title string          `json:"title"` // what happens, in a sentence
	Place dissect.Place   `json:"place"`
	Func  string          `json:"func"`             // the declared function of the cause, however the compiler has named it in this build
	Text  string          `json:"text,omitempty"`   // of the line
	Other []dissect.Place `json:"others,omitempty"` // lines that belong to the same cause

	// Share is the part of the time of an operation that could be won, and Seconds is
	// that time: an estimate, and 0 where something else than time is lost.
	Share   float64 `json:"share"`
	Seconds float64 `json:"seconds"`
	Basis   Basis   `json:"basis"`
	// CPU is what the lines cost of CPU time, and Waiting how long goroutines wait at
	// them, a sum: what was seen, of an operation. They are 0 where nobody looked.
	CPU     float64 `json:"cpu_seconds"`
	Waiting float64 `json:"waiting_seconds"`

	Evidence []string `json:"evidence"`
	Remedy   string   `json:"remedy"`
	URL      string   `json:"url"`
	Static   []Static `json:"static,omitempty"` // what sweetspot vet says of these lines
}

// A Basis is how the time that could be won is told.
type Basis string

const (
	Overhead  Basis = "overhead"  // CPU time that is not work
	Inflation Basis = "inflation" // CPU time that the same work takes more with more CPUs
	Idle      Basis = "idle"      // CPUs have nothing to do while goroutines wait
	Memory    Basis = "memory"    // no time, but memory
	Unknown   Basis = "unknown"   // no time can be told
)

// A Static is a finding of sweetspot vet in a line that was seen at work.
type Static struct {
	Check   string `json:"check"`
	Grade   string `json:"grade"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	EndLine int    `json:"-"`
	// Uses are the lines that use what the finding is about, where it stands at a
	// declaration.
	Uses    []vetcmd.Line `json:"-"`
	Message string        `json:"message"`
	URL     string        `json:"url"`
}

// Checks that only a measurement can make. Those of sweetspot vet have their own
// names.
const (
	checkContention = "contention"
	checkGarbage    = "garbage"
	checkTooFew     = "toofew"
	checkShared     = "falseshare"
	checkRecursion  = "recspawn"
	checkSpawn      = "unboundedgo"
	checkItem       = "chanitem"
	checkLeak       = "goroutineleak"
)

const pages = "https://github.com/sweetspot-go/sweetspot/blob/main/docs/"

// urlOf returns the page of a check. Those that only a measurement can make stand
// in the guide.
func urlOf(check string) string {
	switch check {
	case checkContention, checkGarbage, checkTooFew, checkLeak:
		return pages + "diagnose.md#" + check
	}
	return pages + "checks/" + check + ".md"
}

// worthwhile is the least share of the time for which a finding is told. Below a
// twentieth there is as much to win by chance: rounds differ by as much, and so
// does how the compiler lays out a loop.
const worthwhile = 0.05
