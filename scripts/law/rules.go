package main

import (
	_ "embed"
	"encoding/json"
)

// A rule is a part of the law that can be removed by an edit of its source.
type rule struct {
	Name    string
	Purpose string // completes "It is there to …"
	Edits   []edit
}

// An edit replaces every occurrence of Old in control/search*.go.
type edit struct{ Old, New string }

//go:embed rules.json
var rulesText []byte

// rules lists the parts of the law, in the order of its files: meter, work, change,
// climb, looks, duels, hold. A test compares the list with the source.
var rules = func() (all []rule) {
	if err := json.Unmarshal(rulesText, &all); err != nil {
		panic("rules.json: " + err.Error()) // it is part of the program
	}
	return all
}()
