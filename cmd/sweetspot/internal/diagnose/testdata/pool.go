package work

import "runtime"

func pool(urls <-chan string, fetch func(string)) {
	for range runtime.NumCPU() {
		go func() {
			for u := range urls {
				fetch(u)
			}
		}()
	}
}

func two(urls <-chan string, fetch func(string)) {
	for range 2 {
		go func() {
			for u := range urls {
				fetch(u)
			}
		}()
	}
}
