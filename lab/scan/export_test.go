package scan

import "time"

// SetTimeout changes how long Open waits for an answer.
func (s *Scanner) SetTimeout(d time.Duration) { s.timeout = d }
