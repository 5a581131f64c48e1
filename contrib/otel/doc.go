// Package otelsweetspot exports all named Limiters of the process to OpenTelemetry.
// Numbers use the usual API. The histogram of waits, which a Limiter keeps by itself,
// needs a producer:
//
//	reader := metric.NewPeriodicReader(exporter, metric.WithProducer(otelsweetspot.NewProducer()))
//	provider := metric.NewMeterProvider(metric.WithReader(reader))
//	_, err := otelsweetspot.Register(provider)
//
// Without the producer, only the histogram is missing.
//
// # Metrics
//
// There are no semantic conventions for concurrency limiters. The names have a
// namespace of their own and follow those of db.client.connection. All metrics have the
// attribute limiter, the name.
//
//	sweetspot.limit        UpDownCounter  {unit}      units that may be in flight
//	sweetspot.in_flight    UpDownCounter  {unit}      units in flight
//	sweetspot.waiting      UpDownCounter  {unit}      units that wait for a permit
//	sweetspot.manual       UpDownCounter  {limiter}   1 while the limit is set manually
//	sweetspot.units        Counter        {unit}      units that ended, by outcome: done,
//	                                                  ignored, overloaded
//	sweetspot.decisions    Counter        {decision}  decisions on the limit, by reason:
//	                                                  start, probe, grow, shrink, stay,
//	                                                  applimited, changed, overloaded,
//	                                                  vetoed, manual
//	sweetspot.active_time  Counter        s           time with work in flight
//	sweetspot.wait_time    Histogram      s           how long units waited that had to
//
// An exporter to Prometheus turns them into the names of package promsweetspot
// (contrib/prometheus), and contrib/grafana/sweetspot.json is a dashboard for both.
//
// # Cardinality
//
// A Limiter has 18 series and one histogram of 22 buckets, which double from 64 µs to
// 67 s. Names should be constants of the program. Limiters with the same name share one
// set of series: the sum. Counts of a name remain when its Limiter is gone, so totals
// never fall. The first 100 names have series of their own; Limiters with other names
// are summed up as "other". Limiters without a name are left out.
//
// # Cost
//
// A collection takes about 10 µs per Limiter. Between collections there is no cost.
package otelsweetspot
