// Package overload has a benchmark of servers whose clients ask again as soon as they have
// an answer or a refusal, as wrk does: one without a limit, and one behind httplimit's
// Server.
//
//	go test -bench . -benchtime 1x -count 5 ./overload | tee overload.txt
//	benchstat -row /of,/clients -col /server overload.txt
//
// The server is a process of its own. Each request waits for 5 ms and computes for 2 ms on
// the CPUs that the clients use, too. A measurement takes 6 s, after 3 s that do not count.
//
// The clients are ours, and those of wrk if it is installed. A script of it times the answers
// by their status.
package overload
