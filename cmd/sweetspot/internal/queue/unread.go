package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot"
)

// unread returns those of some jobs without a result that have one all the same: NATS cannot read
// it, and says that there is none.
func (q *queue) unread(ctx context.Context, without []uint64) (damaged []uint64, err error) {
	if len(without) == 0 {
		return nil, nil
	}
	have, err := q.numbers(ctx, jobKeys)
	if err != nil {
		return nil, err
	}
	without = slices.DeleteFunc(without, func(n uint64) bool { return !have[n] })
	// They are read once more, since a worker may have recorded one after it was looked for.
	all, err := sweetspot.Map(ctx, without, q.read, sweetspot.Fixed(readersMost))
	if err != nil {
		return nil, err
	}
	for i, r := range all {
		if r == nil {
			damaged = append(damaged, without[i])
		}
	}
	return damaged, nil
}

func (q *queue) cannotRead(damaged []uint64) error {
	result := "result"
	if len(damaged) > 1 {
		result = "results"
	}
	return fmt.Errorf("the %s of %s of %s cannot be read, since the store is damaged: push the values again to have new ones", result, jobs(damaged), q.name)
}

const jobsNamed = 10

// jobs returns what messages call some jobs, of which there is at least one.
func jobs(numbers []uint64) string {
	if len(numbers) == 1 {
		return fmt.Sprintf("job %d", numbers[0])
	}
	slices.Sort(numbers)
	named := numbers[:min(len(numbers), jobsNamed)]
	text := "jobs " + strings.Trim(strings.ReplaceAll(fmt.Sprint(named), " ", ", "), "[]")
	if more := len(numbers) - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
