package main

import (
	"strings"
	"testing"
)

func TestVerify(t *testing.T) {
	sums := map[string]string{"a.go": "01", "b c.go": "02"}
	output := func(lines string) []run {
		r := run{flag: "auto", output: []byte(lines)}
		r.summary.Jobs = 2
		return []run{r}
	}
	if n, err := verify(output("02  b c.go\n01 *a.go\n"), sums); n != 2 || err != nil {
		t.Errorf("%d, %v; want 2 digests", n, err)
	}
	for lines, want := range map[string]string{
		"01  a.go\n":                      "1 digests from 2 jobs",
		"01  a.go\n03  b c.go\n":          "want 02",
		"01  a.go\n01  a.go\n":            "twice",
		"01  a.go\n02  b c.go\n04  d\n":   "not asked for",
		"01  a.go\n02  b c.go\nrubbish\n": "not asked for",
	} {
		if _, err := verify(output(lines), sums); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", lines, err, want)
		}
	}
}

func TestPrintTable(t *testing.T) {
	one, auto := run{flag: "1"}, run{flag: "auto", cut: true, explain: "doubled 1→2: +94 % throughput\nstays at 2\n"}
	one.summary = summary{Jobs: 10, Seconds: 2, Rate: 5}
	auto.summary = summary{Jobs: 100, Seconds: 4, Rate: 25}
	auto.summary.Limit.Mean, auto.summary.Limit.Last = 1.96, 2
	var b strings.Builder
	printTable(&b, []run{one, auto})
	want := `    -j  jobs  seconds  jobs/s  mean limit  last limit
     1    10      2.0     5           0.0           0
  auto   100      4.0    25 *         2.0           2
  * fastest
  -j auto was cut after 4 s

  why auto ended there:
  | doubled 1→2: +94 % throughput
  | stays at 2
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
