// Package company is what the Limiters of one process know of each other.
//
// Each loop joins with a Member. Before it asks its law it calls [Member.Observe],
// which completes the Reading by what the others do, and afterwards
// [Member.Decided]. The package reads no clock and starts nothing, so a
// simulation of many Limiters uses it as the governor does.
package company

import (
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A Company is a set of loops whose work may share a bottleneck.
type Company struct {
	mu      sync.Mutex
	members []*Member
}

// A Member is one loop of a Company.
type Member struct {
	company *Company
}

// Join adds a loop.
func (c *Company) Join() *Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &Member{company: c}
	c.members = append(c.members, m)
	return m
}

// Observe completes a reading taken at now, a time that all members share.
func (m *Member) Observe(now time.Duration, r *control.Reading) {
	r.Turn = true
}

// Decided takes note of what the law answered to the newest reading.
func (m *Member) Decided(d control.Decision) {}

// Leave removes the loop, which may Join again.
func (m *Member) Leave() {
	c := m.company
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, other := range c.members {
		if other == m {
			c.members = append(c.members[:i], c.members[i+1:]...)
			return
		}
	}
}
