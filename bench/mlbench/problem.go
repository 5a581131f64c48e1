package main

import "errors"

// A problem is one program, to be solved for inputs of several sizes.
type problem struct {
	name, about string
	sizes       []int
	solve       func(n int) solutions
}

func problems() []problem {
	return []problem{mcss(), msort(), primes(), sparse(), tokens(), linefit()}
}

// The forms of a program.
const (
	serial = iota
	byHand
	ours
	forms
)

var formNames = [forms]string{"serial", "by hand", "ours"}

// solutions are the forms of a program for one input.
type solutions [forms]struct {
	run   func()
	check func() error // of the last run; drops its result
}

var errWrong = errors.New("the result is not that of the serial form")

// compare returns the forms as solutions, each to be held against the result of the first.
func compare[R any](same func(a, b R) bool, solve func(form int) R) (s solutions) {
	want := solve(serial)
	for i := range s {
		var got R
		s[i].run = func() { got = solve(i) }
		s[i].check = func() error {
			right := same(got, want)
			var none R
			if got = none; !right {
				return errWrong
			}
			return nil
		}
	}
	return s
}

// must is for calls in which nothing can fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func equal[R comparable](a, b R) bool { return a == b }

// hash turns a number into one that looks random: SplitMix64 by Vigna.
func hash(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
