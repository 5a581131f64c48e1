// Command tenants measures what one hostile client of a server takes from all others:
// a tenant that is over its quota and hammers, or whose deadlines no call can keep.
//
//	go run ./tenants                      # all tenants, three rounds: seven minutes
//	go run ./tenants -quick               # a first look: a minute
//	go run ./tenants -only http           # beginnings of names do
//	go run ./tenants -rounds 5 -md        # write the table of docs/reliability.md
//
// Client and server are this program; all else is real: HTTP and gRPC over TCP on the
// loopback interface, the zero httplimit.Server and grpclimit.Server. Other clients, each
// on a connection of its own, send one request after the other to a handler that takes 20
// ms; one that is refused comes back 10 ms later. After a while the tenant joins them, and
// what the others get is counted from that moment on.
//
// Each round measures this three times, each with a new server: with the hostile tenant;
// with its harmless twin, whose requests come at the same times on as many connections,
// cost the same and succeed; and with nobody beside the others. The bar is the first over
// the second. The third shows what the twin itself costs.
//
// Both send at the rate that both can reach: a short run of each, without a pause,
// finds it. Else the twin of a tenant that gives up early would send fewer.
package main
