package otelsweetspot

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/sweetspot-go/sweetspot/contrib/internal/meter"
)

// NewProducer returns a producer of the histogram of waits, sweetspot.wait_time, for
// the option WithProducer of a reader. The histogram is cumulative, even if the reader
// prefers otherwise.
func NewProducer() metric.Producer {
	return &producer{bounds: meter.Bounds(), began: time.Now()}
}

type producer struct {
	meter  meter.Meter
	bounds []float64
	began  time.Time
}

// Produce returns one point for each name. It fails only if ctx is done.
func (p *producer) Produce(ctx context.Context) ([]metricdata.ScopeMetrics, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	now := time.Now()
	rows := p.meter.Read()
	points := make([]metricdata.HistogramDataPoint[float64], 0, len(rows))
	for i := range rows {
		r := &rows[i]
		points = append(points, metricdata.HistogramDataPoint[float64]{
			Attributes: attribute.NewSet(attribute.String(meter.Label, r.Name)),
			StartTime:  p.began, Time: now,
			Count: uint64(r.Waits.Count()), Sum: r.Waits.Sum,
			// A copy, as those who get it may keep and change it.
			Bounds: slices.Clone(p.bounds), BucketCounts: r.Buckets(),
		})
	}
	if len(points) == 0 {
		return nil, nil
	}
	return []metricdata.ScopeMetrics{{
		Scope: instrumentation.Scope{Name: scope},
		Metrics: []metricdata.Metrics{{
			Name: meter.WaitTime.Name, Unit: meter.WaitTime.Unit, Description: meter.WaitTime.Help,
			Data: metricdata.Histogram[float64]{Temporality: metricdata.CumulativeTemporality, DataPoints: points},
		}},
	}}, nil
}
