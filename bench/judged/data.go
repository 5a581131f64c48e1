package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed *.json
var files embed.FS

// read returns the scenarios in a file.
func read[T any](name string) (all []T) {
	data, err := files.ReadFile(name)
	if err == nil {
		in := json.NewDecoder(bytes.NewReader(data))
		in.DisallowUnknownFields()
		err = in.Decode(&all)
	}
	if err != nil {
		panic(fmt.Errorf("%s: %w", name, err)) // it is part of the program
	}
	return all
}
