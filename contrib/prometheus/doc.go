// Package promsweetspot exports all named Limiters of the process to Prometheus:
//
//	prometheus.MustRegister(promsweetspot.NewCollector())
//
// # Metrics
//
// All of them have the label limiter, the name.
//
//	sweetspot_limit                      gauge      units that may be in flight
//	sweetspot_in_flight                  gauge      units in flight
//	sweetspot_waiting                    gauge      units that wait for a permit
//	sweetspot_manual                     gauge      1 while the limit is set manually
//	sweetspot_units_total                counter    units that ended, by outcome:
//	                                                done, ignored, overloaded
//	sweetspot_decisions_total            counter    decisions on the limit, by reason:
//	                                                start, probe, grow, shrink, stay,
//	                                                applimited, changed, overloaded,
//	                                                vetoed, manual
//	sweetspot_active_time_seconds_total  counter    time with work in flight
//	sweetspot_wait_time_seconds          histogram  how long units waited that had to
//
// The mean time of a unit is, by Little's law,
//
//	avg_over_time(sweetspot_in_flight[5m]) / ignoring(outcome) rate(sweetspot_units_total{outcome="done"}[5m])
//
// Package otelsweetspot (contrib/otel) has the same metrics for OpenTelemetry, and
// contrib/grafana/sweetspot.json is a dashboard for both.
//
// # Cardinality
//
// A Limiter has 42 series: 4 gauges, 1 + 3 + 10 counters and 24 of the histogram, whose
// buckets double from 64 µs to 67 s. They exist from the first scrape on. A Limiter
// without a name has none, and neither have the Limiters that parallel calls make for
// themselves.
//
// Names should be constants of the program. Limiters with the same name share one set
// of series: the sum. Counts of a name remain when its Limiter is gone, so totals never
// fall. The first 100 names have series of their own; Limiters with other names are
// summed up as "other", so that names made from data (hosts, customers) cannot flood
// the server.
//
// # Cost
//
// A scrape takes about 10 µs per Limiter. Between scrapes there is no cost.
package promsweetspot
