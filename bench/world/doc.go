// Command world measures the automatic limit on real programs, PostgreSQL, Redis, SQLite,
// nginx, the Go parser and the Go compiler, or with -p99 [sweetspot.MaxP99].
//
//	go run ./world -only redis,nginx
//
// Section Real programs of bench/README.md says how it measures and what it prints.
package main
