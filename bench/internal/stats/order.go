package stats

// Order returns 0 to n-1 in the order for a round, beginning elsewhere in each
// of the rounds: the machine's slow changes then hit all in turn, and nobody
// comes always first. Rounds count from 0.
func Order(n, round, rounds int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = (i + round*n/max(rounds, 1)) % n
	}
	return order
}
