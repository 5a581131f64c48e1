package vetcmd

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// around is how many unchanged lines a diff shows around changed ones, as diff -u.
const around = 3

// A step of a diff is a line of both texts, of the old or of the new one.
type step struct {
	op   byte // ' ', '-' or '+'
	text string
}

// writeDiff writes a unified diff that patch and git apply understand. It is
// nothing if old and new are the same.
func writeDiff(w io.Writer, path string, old, new []byte) error {
	steps := compare(lines(old), lines(new))
	b := bufio.NewWriter(w)
	header := false
	oldLine, newLine := 1, 1
	for i := 0; i < len(steps); {
		if steps[i].op == ' ' {
			i, oldLine, newLine = i+1, oldLine+1, newLine+1
			continue
		}
		if !header {
			fmt.Fprintf(b, "--- a/%s\n+++ b/%s\n", path, path)
			header = true
		}
		start := max(0, i-around)
		for start < i && steps[start].op != ' ' {
			start++
		}
		end := i
		for j := i; j < len(steps) && j-end <= 2*around; j++ {
			if steps[j].op != ' ' {
				end = j + 1
			}
		}
		stop := min(len(steps), end+around)
		hunk := steps[start:stop]
		lead := i - start
		removed, added := count(hunk, '+'), count(hunk, '-')
		fmt.Fprintf(b, "@@ -%s +%s @@\n", span(oldLine-lead, removed), span(newLine-lead, added))
		for _, s := range hunk {
			b.WriteByte(s.op)
			b.WriteString(s.text)
			if !strings.HasSuffix(s.text, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		oldLine += removed - lead
		newLine += added - lead
		i = stop
	}
	return b.Flush()
}

// count counts the lines of a hunk without those of one kind.
func count(hunk []step, without byte) (n int) {
	for _, s := range hunk {
		if s.op != without {
			n++
		}
	}
	return n
}

// span is the place of a hunk in one of the texts. That of no lines is the line
// before.
func span(start, n int) string {
	if n == 0 {
		start--
	}
	return fmt.Sprintf("%d,%d", start, n)
}

func lines(text []byte) []string {
	all := strings.SplitAfter(string(text), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// compare finds the fewest lines to remove and add. It is the greedy algorithm of
// Myers, An O(ND) Difference Algorithm and Its Variations, 1986: reach[k] is how far
// in a one gets with d changes, having removed k lines more than added.
func compare(a, b []string) []step {
	var trace []map[int]int
	reach := map[int]int{1: 0}
	for d := 0; ; d++ {
		now := make(map[int]int, d+1)
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && reach[k-1] < reach[k+1] {
				x = reach[k+1]
			} else {
				x = reach[k-1] + 1
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			now[k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(a, b, append(trace, reach), d, k)
			}
		}
		trace = append(trace, reach)
		reach = now
	}
}

// walkBack finds the way to the end of both texts, which d changes lead to, from the
// furthest points that fewer changes lead to.
func walkBack(a, b []string, trace []map[int]int, d, k int) []step {
	var back []step
	x, y := len(a), len(b)
	for ; d >= 0; d-- {
		reach := trace[d]
		from := k - 1
		if k == -d || k != d && reach[k-1] < reach[k+1] {
			from = k + 1
		}
		px := reach[from]
		py := px - from
		for x > px && y > py {
			x, y = x-1, y-1
			back = append(back, step{' ', a[x]})
		}
		if d == 0 {
			break
		}
		if from == k+1 {
			y--
			back = append(back, step{'+', b[y]})
		} else {
			x--
			back = append(back, step{'-', a[x]})
		}
		k = from
	}
	steps := make([]step, 0, len(back))
	for i := len(back) - 1; i >= 0; i-- {
		steps = append(steps, back[i])
	}
	return steps
}
