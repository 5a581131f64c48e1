// Package below is imported by numbers.
package below

import (
	"context"
	"os"
	"strings"
)

// Fold computes.
func Fold(s []string) int { return len(strings.Join(s, ",")) }

// Load reads a file.
func Load(name string) ([]byte, error) { return os.ReadFile(name) }

// Each calls f for each element, as many at a time as parallelism says.
func Each(ctx context.Context, s []string, parallelism int, f func(string) error) error {
	c := make(chan string)
	for i := 0; i < parallelism; i++ {
		go func() {
			for v := range c {
				f(v)
			}
		}()
	}
	for _, v := range s {
		c <- v
	}
	return nil
}
