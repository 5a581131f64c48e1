package dash

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/sweetspot-go/sweetspot"
)

// A Page is an [http.Handler] that shows the Limiters of this program. Make it
// with [Handler].
type Page struct {
	history *history

	control bool
	hosts   []string
	origin  *http.CrossOriginProtection

	mu      sync.Mutex
	servers map[weak.Pointer[http.Server]]context.Context // done when the server shuts down
}

// Handler returns a page. Mount it at any path that ends in a slash; [http.StripPrefix]
// makes no difference. The package documentation says what it shows and changes. It
// panics if an option is nil.
//
// Each Handler keeps a history of its own; two of them measure twice.
func Handler(opts ...Option) *Page {
	p := &Page{
		history: &history{limiters: sweetspot.Limiters, room: pointsInAll},
		origin:  http.NewCrossOriginProtection(),
		servers: make(map[weak.Pointer[http.Server]]context.Context),
	}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("sweetspot: dash.Handler: option %d of %d is nil", i+1, len(opts)))
		}
		o.page(p)
	}
	return p
}

// policy allows the files of the page and its own server, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP serves the page, its files and its data.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if err := p.admit(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	_, name := path.Split(r.URL.Path)
	methods := []string{http.MethodGet, http.MethodHead}
	if name == "limit" {
		methods = []string{http.MethodPost}
	}
	if !slices.Contains(methods, r.Method) {
		allowed := strings.Join(methods, ", ")
		h.Set("Allow", allowed)
		http.Error(w, fmt.Sprintf("sweetspot: %s %s: want %s", r.Method, cmp.Or(name, "/"), allowed), http.StatusMethodNotAllowed)
		return
	}
	switch name {
	case "limiters.json":
		p.serveLimiters(w, r)
	case "history.json":
		p.serveHistory(w, r)
	case "events":
		p.serveEvents(w, r)
	case "limit":
		p.serveLimit(w, r)
	default:
		serveFile(w, r, name)
	}
}
