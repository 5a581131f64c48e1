package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

// inMemory returns lists of jobs that need more memory than there is for all of them at once.
func inMemory() (all []list) {
	for _, c := range []struct {
		jobs        int
		least, most int // MB that a job needs
		memory      int // MB
		numbers     []int
	}{
		{40, 150, 1000, 3072, []int{2, 3, 4, 5}},
		{40, 150, 1000, 4096, []int{3, 4, 5, 6}},
		{60, 200, 2000, 3072, []int{1, 2, 3}},
		{60, 200, 2000, 4096, []int{1, 2, 3, 4}},
	} {
		all = append(all, list{
			name:    fmt.Sprintf("memory%d-%d", c.jobs, c.memory/1024),
			about:   fmt.Sprintf("%d jobs of %d to %d MB in %d GB", c.jobs, c.least, c.most, c.memory/1024),
			memory:  int64(c.memory) << 20,
			numbers: c.numbers,
			prepare: func(context.Context, string) (command, values []string, err error) {
				self, err := os.Executable()
				sizes := uniform(c.jobs, float64(c.least), float64(c.most))
				for i, seconds := range uniform(c.jobs+1, 0.2, 0.6)[1:] { // of another draw
					values = append(values, fmt.Sprintf("%.0f,%.3f", sizes[i], seconds))
				}
				return []string{self, holdCommand, "{}"}, values, err
			},
		})
	}
	return all
}

// shuffled returns the values in the order of a round.
func shuffled(values []string, round int) []string {
	mixed := make([]string, len(values))
	for i, at := range rand.New(rand.NewPCG(2, uint64(round))).Perm(len(values)) {
		mixed[i] = values[at]
	}
	return mixed
}

// holdCommand is the first argument of a job that holds memory; the second is
// MB,SECONDS.
const holdCommand = "hold"

// hold is such a job: its memory grows evenly over the first half of its time.
func hold(what string) error {
	size, lasts, _ := strings.Cut(what, ",")
	mb, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(lasts, 64)
	if err != nil {
		return err
	}
	began := time.Now()
	const steps = 16
	held, err := allocate(mb << 20)
	if err != nil {
		return err
	}
	for i := range steps {
		for at := len(held) * i / steps; at < len(held)*(i+1)/steps; at += os.Getpagesize() {
			held[at] = 1
		}
		time.Sleep(time.Until(began.Add(time.Duration(seconds / 2 * float64(i+1) / steps * float64(time.Second)))))
	}
	time.Sleep(time.Until(began.Add(time.Duration(seconds * float64(time.Second)))))
	if held[0] != 1 { // it is held to the end
		return errors.New("the memory is lost")
	}
	return nil
}
