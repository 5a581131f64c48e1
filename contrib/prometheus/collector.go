package promsweetspot

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sweetspot-go/sweetspot/contrib/internal/meter"
)

type collector struct {
	meter  meter.Meter
	bounds []float64
	wait   *prometheus.Desc
	descs  []*prometheus.Desc // of meter.Metrics
	types  []prometheus.ValueType
}

// NewCollector returns a collector of all named Limiters of the process, present and
// future. A registry should have one.
func NewCollector() prometheus.Collector {
	c := &collector{bounds: meter.Bounds()}
	labels := []string{meter.Label}
	w := meter.WaitTime
	c.wait = prometheus.NewDesc(meter.PrometheusName(w.Name, w.Unit), w.Help, labels, nil)
	for i := range meter.Metrics {
		m := &meter.Metrics[i]
		labels, typ := labels, prometheus.GaugeValue
		if m.Label != "" {
			labels = []string{meter.Label, m.Label}
		}
		if m.Counter {
			typ = prometheus.CounterValue
		}
		c.descs = append(c.descs, prometheus.NewDesc(m.Prometheus(), m.Help, labels, nil))
		c.types = append(c.types, typ)
	}
	return c
}

// Describe sends what Collect will, whatever Limiters there are.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	out <- c.wait
	for _, d := range c.descs {
		out <- d
	}
}

// Collect reads all Limiters.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	rows := c.meter.Read()
	for i := range rows {
		r := &rows[i]
		for j := range meter.Metrics {
			for _, v := range meter.Metrics[j].Values(r) {
				labels := []string{r.Name}
				if meter.Metrics[j].Label != "" {
					labels = append(labels, v.Label)
				}
				out <- prometheus.MustNewConstMetric(c.descs[j], c.types[j], v.V, labels...)
			}
		}
		out <- c.waits(r)
	}
}

// waits returns the histogram of r, whose buckets are cumulative at Prometheus.
func (c *collector) waits(r *meter.Row) prometheus.Metric {
	counts := r.Buckets()
	buckets := make(map[float64]uint64, len(c.bounds))
	sum := uint64(0)
	for i, b := range c.bounds {
		sum += counts[i]
		buckets[b] = sum
	}
	sum += counts[len(c.bounds)]
	return prometheus.MustNewConstHistogram(c.wait, sum, r.Waits.Sum, buckets, r.Name)
}
