package dash

import "net/http"

// The method is part of the pattern, so that a program that has its own "GET /"
// can import this package.
func init() { http.Handle("GET /debug/sweetspot/", Handler()) }
