package queue

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// heard takes what the server says beside its answers. It answers nothing that it refuses: a
// command that asks once need not wait for that. A worker may do without, as where it
// clears up.
func (c *connection) heard(nc *nats.Conn, _ *nats.Subscription, err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	c.denied.Store(&err)
	if !c.patient {
		nc.Close()
	}
}

// denial returns the error of what our key does not allow, if the server has refused something since
// before was the newest.
func (c *connection) denial(before *error) error {
	newest := c.denied.Load()
	if newest == before {
		return nil
	}
	return fmt.Errorf("our key does not allow that: %w; of the keys of a home, %s may push, %s work, and %s everything",
		*newest, pushKey, workKey, userKey)
}
