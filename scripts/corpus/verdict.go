package main

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
)

// A verdict is what somebody who read a finding thinks of it. It is right if what it
// says happens, and fixing it would be defensible.
type verdict struct {
	right bool
	why   string
}

// readVerdicts reads a file of lines such as
//
//	google.golang.org/grpc internal/x.go shardpad right: one lock for each CPU: _ = buckets
//
// of module, file, check, verdict and reason, and the line of the source after a tab
// (the number of a line would not survive the next version). A finding without a
// line in the file is unread.
func readVerdicts(name string) (map[string]verdict, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	verdicts := make(map[string]verdict)
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, text, _ := strings.Cut(line, "\t")
		head, why, ok := strings.Cut(head, ": ")
		fields := strings.Fields(head)
		if !ok || len(fields) != 4 || fields[3] != "right" && fields[3] != "wrong" {
			return nil, fmt.Errorf("%s:%d: want MODULE FILE CHECK right|wrong: WHY, a tab, SOURCE LINE", name, n)
		}
		verdicts[strings.Join(fields[:3], " ")+"\t"+strings.TrimSpace(text)] = verdict{fields[3] == "right", why}
	}
	return verdicts, s.Err()
}

// verdict returns what is thought of a finding of the module.
func (m module) verdict(f finding, verdicts map[string]verdict) (verdict, bool) {
	v, ok := verdicts[m.path+" "+f.File+" "+f.Check+"\t"+f.Text]
	return v, ok
}

// wilson returns the bounds of a share, of which right of n were seen, with 95 %
// confidence: Wilson, Probable inference, the law of succession, and statistical
// inference, 1927. Unlike those of the normal distribution they hold for small n.
func wilson(right, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	p, size := float64(right)/float64(n), float64(n)
	middle := (p + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	return max(0, middle-half), min(1, middle+half)
}
