// Package otelsweetspot tells OpenTelemetry about all Limiters of the process that
// have a name. Numbers go the usual way; the histogram of waits, which a Limiter
// keeps by itself, is read by a producer:
//
//	reader := metric.NewPeriodicReader(exporter, metric.WithProducer(otelsweetspot.NewProducer()))
//	provider := metric.NewMeterProvider(metric.WithReader(reader))
//	_, err := otelsweetspot.Register(provider)
//
// Without the producer all but the histogram is there.
//
// # Metrics
//
// There are no semantic conventions for limiters of concurrency. The names have a
// namespace of their own and follow those of db.client.connection. All metrics
// have the attribute limiter, the name.
//
//	sweetspot.limit        UpDownCounter  {unit}      units that may be in flight
//	sweetspot.in_flight    UpDownCounter  {unit}      units that are
//	sweetspot.waiting      UpDownCounter  {unit}      units that wait for a permit
//	sweetspot.manual      UpDownCounter  {limiter}   1 while the limit is set manually
//	sweetspot.units        Counter        {unit}      units that ended, by outcome: done,
//	                                                  ignored, overloaded
//	sweetspot.decisions    Counter        {decision}  decisions on the limit, by reason:
//	                                                  start, probe, grow, shrink, stay,
//	                                                  applimited, changed, overloaded,
//	                                                  vetoed, manual
//	sweetspot.active_time  Counter        s           time with work in flight
//	sweetspot.wait_time    Histogram      s           how long those waited who had to
//
// An exporter to Prometheus makes the names of package promsweetspot of them
// (contrib/prometheus), and contrib/grafana/sweetspot.json is a dashboard for both.
//
// # Cardinality
//
// A Limiter has 18 series and one histogram of 22 buckets, which double from 64 µs
// to 67 s. Names should be constants of the program. Two Limiters of one name are
// one set of series: the sum. So is what a name did when its Limiter is gone, and
// totals never fall. The first 100 names have series of their own; Limiters with
// other names are summed up as "other". Limiters without a name are left out.
//
// # Cost
//
// A collection takes some 10 µs for each Limiter. In between nothing happens.
package otelsweetspot
