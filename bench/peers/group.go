package main

import (
	"fmt"
	"slices"
)

// A group is a set of subjects that are compared with each other.
type group struct {
	name   string
	title  string
	about  string                                         // what is measured, and what would be ideal
	list   func(procs int, quick bool, add func(subject)) // its subjects
	report func(r *findings)                              // tables, bars and losses
}

func (g group) subjects(procs int, quick bool) (all []subject) {
	g.list(procs, quick, func(s subject) { all = append(all, s) })
	return all
}

// groups returns all groups in the order of the report.
func groups() []group {
	return []group{
		smallGroup(),
		grainsGroup(),
		singleGroup(),
		waitingGroup(),
		allocsGroup(),
		sumGroup(),
		walkGroup(),
		joinGroup(),
		poolGroup(),
		goGroup(),
	}
}

// A subject is one way to do some work, measured in a process of its own.
type subject struct {
	row, column string // its place in the tables of its group
	procs       int    // GOMAXPROCS of the process
	items       int    // of one run
	once        bool   // a process makes one run only, so that nothing is remembered
	set         func(e environment) task
}

// collect returns what f makes of all of them.
func collect[T, R any](all []T, f func(T) R) (made []R) {
	for _, x := range all {
		made = append(made, f(x))
	}
	return made
}

// id names a subject within its group.
func (s subject) id() string { return id(s.row, s.column, s.procs) }

func id(row, column string, procs int) string { return fmt.Sprintf("%s/%s@%d", row, column, procs) }

// An environment is what a subject may know of the measurement.
type environment struct {
	spins float64 // rounds of [spin] in a nanosecond
	procs int
	items int
}

// A task is the work of a subject, set up.
type task struct {
	before func()       // makes a run ready, untimed; nil if nothing is needed
	run    func() error // one run
	check  func() error // says whether the last run's result is right, untimed; nil if there is none
	loop   func() error // the same work by a plain loop, to be measured in turn; or nil
	awake  bool         // each run comes right after another, which is not measured
}

// making is the task of what makes something, which check looks at.
func making[R any](run func() (R, error), check func(made R) error) task {
	var made R
	return task{
		run: func() (err error) {
			made, err = run()
			return err
		},
		check: func() error { return check(made) },
	}
}

func find(name, id string, procs int, quick bool) (subject, error) {
	all := groups()
	i := slices.IndexFunc(all, func(g group) bool { return g.name == name })
	if i < 0 {
		return subject{}, fmt.Errorf("no group %q", name)
	}
	subjects := all[i].subjects(procs, quick)
	j := slices.IndexFunc(subjects, func(s subject) bool { return s.id() == id })
	if j < 0 {
		return subject{}, fmt.Errorf("no subject %q in group %s", id, name)
	}
	return subjects[j], nil
}
