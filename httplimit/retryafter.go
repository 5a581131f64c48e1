package httplimit

import (
	"net/http"
	"strconv"
	"time"
)

// defaultMaxPause is longer than what overloaded services ask for, and shorter
// than what a service that is down for maintenance may ask for.
const defaultMaxPause = 30 * time.Second

// retryAfter returns the time that the header Retry-After names, 0 if it has no
// meaningful one. See RFC 9110, section 10.2.3: seconds, or a date.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if v == "" {
		return 0
	}
	const most = 1 << 30 // s; far beyond any bound, and no overflow
	if s, err := strconv.ParseUint(v, 10, 64); err == nil || s > most {
		return time.Duration(min(s, most)) * time.Second
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	// The date is by the clock of the server. Its Date header, if it has one,
	// says what that clock showed.
	from := time.Now()
	if d, err := http.ParseTime(h.Get("Date")); err == nil {
		from = d
	}
	return max(0, at.Sub(from))
}
