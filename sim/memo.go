package sim

import "sync"

// A memo holds one result for each key. The first to ask for it works it out, and others wait.
type memo[K comparable, V any] struct{ known sync.Map } // K → func() V

func (m *memo[K, V]) of(key K, work func() V) V {
	f, ok := m.known.Load(key)
	if !ok {
		f, _ = m.known.LoadOrStore(key, sync.OnceValue(work))
	}
	return f.(func() V)()
}
