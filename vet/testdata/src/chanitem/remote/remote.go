// Package remote is another package, of which only facts are known.
package remote

import "os"

// Store does I/O in a function that it calls.
func Store(n int) { store(n) }

func store(n int) { os.WriteFile("n", []byte{byte(n)}, 0o644) }

// Client does I/O in a method.
type Client struct{ f *os.File }

func (c *Client) Send(n int) { c.f.Write([]byte{byte(n)}) }

// Half computes.
func Half(n int) int { return n / 2 }
