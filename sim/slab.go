package sim

// A slab holds values in numbered places, which are used again.
type slab[T any] struct {
	at   []T
	free []int32
}

// add puts a value into a free place and returns its number.
func (s *slab[T]) add(x T) int32 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		s.at[i] = x
		return i
	}
	s.at = append(s.at, x)
	return int32(len(s.at) - 1)
}

// remove frees a place. Its value stays until the place is used again.
func (s *slab[T]) remove(i int32) { s.free = append(s.free, i) }
