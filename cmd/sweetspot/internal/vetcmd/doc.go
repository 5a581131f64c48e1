// Package vetcmd is the command vet: it loads packages, has the analyzers of
// package vet look at them, and tells what they find as text, JSON or SARIF.
//
// [Check] is the driver alone, for commands that do something else with the
// findings. It looks at one package after the other, in the order of their imports,
// and keeps of each only its types and facts: the syntax of a million lines would
// need gigabytes.
package vetcmd
