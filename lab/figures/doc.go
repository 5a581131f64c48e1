// Package figures is the file that the lab writes: what was measured, on which
// machine, and what it says of the claims of the articles. Reports are made from
// this file alone.
//
// The format is JSON, version 1, described by [Schema] (JSON Schema, draft
// 2020-12). Fields may be added within a version; a field that changes its
// meaning makes a new one. Numbers are in the units that stand beside them.
package figures
