package sense

// A scope is a number of CPUs that we share with others: those of the affinity mask,
// or the quota of a cgroup. We may be bound to fewer of them, so others may use some
// that we could not use anyway. A scope counts the rest: what others took away from
// us.
//
// Increments jitter as far as the kernel's counts lag behind each other. So a scope
// keeps account: only what others used beyond all that they could use without harm
// counts.
type scope struct {
	own  float64 // CPU seconds of ours at the newest reading
	over float64 // what others used beyond their part; negative where they left some
}

// taken returns the CPU seconds that others took away from us since the last call.
// Since then all together used delta; own are ours so far, spare those in the scope
// that we could not have used anyway. slack is how much of what others left before
// may be jitter that is yet to come, and is offset against it.
func (s *scope) taken(own, delta, spare, slack float64) float64 {
	grown := max(0, own-s.own)
	s.own = max(s.own, own)
	s.over = max(s.over+delta-grown-spare, -slack)
	taken := max(0, s.over)
	s.over -= taken
	return taken
}
