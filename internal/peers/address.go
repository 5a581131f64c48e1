package peers

import "net/netip"

// Of returns the peer that a network address, such as that of a connection, belongs to:
// the address without the port, if it has one, and of IPv6 the /56, which is what a home
// gets (RFC 6177, 2). What is not an address of IP is a peer as it stands.
func Of(address string) string {
	ap, err := netip.ParseAddrPort(address)
	ip := ap.Addr()
	if err != nil { // middleware that finds the client behind a proxy often names it without a port
		if ip, err = netip.ParseAddr(address); err != nil {
			return address
		}
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		if p, err := ip.Prefix(56); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
