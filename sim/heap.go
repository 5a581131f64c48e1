package sim

// An ending is a unit that ends its stage when the clock of its heap reads key.
type ending struct {
	key  float64
	unit int32
}

// endings is a 4-ary min-heap by key. Four children per node make it half as
// deep as a binary heap; with thousands of units in flight that is the time.
type endings []ending

func (h *endings) push(e ending) {
	*h = append(*h, e)
	a := *h
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 4
		if a[up].key <= e.key {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = e
}

// pop removes and returns the earliest ending of a heap that is not empty.
func (h *endings) pop() ending {
	a := *h
	top := a[0]
	n := len(a) - 1
	e := a[n]
	*h = a[:n]
	a = a[:n]
	if n == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		least := c
		for j := c + 1; j < min(c+4, n); j++ {
			if a[j].key < a[least].key {
				least = j
			}
		}
		if a[least].key >= e.key {
			break
		}
		a[i] = a[least]
		i = least
	}
	a[i] = e
	return top
}
