package dash

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// An Option sets up a [Page]; see [Handler].
type Option interface{ page(*Page) }

type option func(*Page)

func (o option) page(p *Page) { o(p) }

// Control lets viewers of the page change limits, as
// [github.com/sweetspot-go/sweetspot.Limiter.SetLimit] does. The page then answers only
// to the host names given, to localhost and to IP addresses. Otherwise a foreign site
// could point its name at this address, and its pages would look like this one to a
// browser. Name the host under which a proxy or colleagues reach the page, without a
// port. It panics if a name is empty or has a port. A dot at the end, as in
// jobs.example.com., makes no difference.
func Control(hosts ...string) Option {
	hosts = slices.Clone(hosts)
	for i, h := range hosts {
		hosts[i] = strings.TrimSuffix(h, ".") // as answersTo does with what it compares
		if hosts[i] == "" || strings.ContainsAny(h, ":/ ") {
			panic(fmt.Sprintf("sweetspot: dash.Control: host %d is %q: want a name such as jobs.example.com, without a port", i+1, h))
		}
	}
	return option(func(p *Page) { p.control, p.hosts = true, append(p.hosts, hosts...) })
}

// admit returns why a request is refused, whatever it wants, or nil.
func (p *Page) admit(r *http.Request) error {
	if p.control && !p.answersTo(r.Host) {
		return fmt.Errorf("sweetspot: this page does not answer to the host %q: use an IP address or localhost, or give the name to dash.Control", r.Host)
	}
	return p.origin.Check(r)
}

// answersTo reports whether a Host header names this page, as far as can be said
// without asking a name server, which may be the attacker's.
func (p *Page) answersTo(host string) bool {
	if _, err := netip.ParseAddrPort(host); err == nil {
		return true
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	name, port, _ := strings.Cut(host, ":")
	if strings.Contains(port, ":") {
		return false
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		slices.ContainsFunc(p.hosts, func(h string) bool { return strings.EqualFold(h, name) })
}
