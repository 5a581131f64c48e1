package httplimit

// Standing reports whether the queue is taken for one that overload keeps full.
func (s *Server) Standing() bool { return s.door.standing.Load() }

// Admits returns the Limiter that s made, if it was given none.
func (s *Server) Admits() interface{ Limit() int } { return s.l }

// MostHeld is how many refusals are held back at a time at most.
const MostHeld = mostHeld

// Held returns how many are.
func (s *Server) Held() int { return s.Stats().Held }

// Offer lets n permits more be offered to held requests that never come for them.
func (s *Server) Offer(n int64) { s.door.lot.offered.Add(n) }
