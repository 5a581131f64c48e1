package idioms

import "testing"

// A test may well start a goroutine for each item.
func TestEach(t *testing.T) {
	items := make([]int, 100)
	done := make(chan bool)
	for i := range items {
		go func() {
			for range 1000 {
				items[i]++
			}
			done <- true
		}()
	}
	for range items {
		<-done
	}
}
