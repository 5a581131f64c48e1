// Package simcmd is `sweetspot sim`: it shows how controllers do on simulated
// machines, as tables, as JSON, as a page with plots, or one run as a trace.
//
// The formats are described in README.md beside this file; they carry a
// version, and later versions only add keys.
package simcmd
