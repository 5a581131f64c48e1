// Package live has a benchmark of what sweetspot diagnose costs a server that it records, before,
// while and after it does.
//
//	go test -bench . -benchtime 1x -count 4 ./live
//
// Two servers of the same program run, each in a process of its own. Clients load one of them for
// a quarter of a second and then the other, in turn. Each figure is the ratio of the server that
// is recorded to its twin, which never is, so disturbances of the machine affect both. The
// clients keep their connections, or make one for each request.
//
// While it is recorded, only the recorded server is loaded, and the figure is the ratio to its own
// rate before. Afterwards diagnose reads the recordings, and the source, on the same CPUs as the
// server and its clients.
package live
