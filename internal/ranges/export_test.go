package ranges

import "github.com/sweetspot-go/sweetspot/internal/call"

// SpanOf is span.
func SpanOf(w *call.Worker) *Span { return span(w) }

// StealFrom is stealFrom.
func StealFrom(w *call.Worker, victims []*call.Worker) bool { return stealFrom(w, victims) }
