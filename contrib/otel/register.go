package otelsweetspot

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/sweetspot-go/sweetspot/contrib/internal/meter"
)

const scope = "github.com/sweetspot-go/sweetspot/contrib/otel"

// Register creates the instruments at provider, such as the one of
// otel.GetMeterProvider. They report all named Limiters of the process, present and
// future. Register once per provider. Unregister of the result removes them. It returns
// the errors of the provider, and panics if that is nil.
func Register(provider metric.MeterProvider) (metric.Registration, error) {
	if provider == nil {
		panic("otelsweetspot: Register(nil): want a MeterProvider, such as otel.GetMeterProvider()")
	}
	o := new(observer)
	mt := provider.Meter(scope)
	var errs []error
	var all []metric.Observable
	for i := range meter.Metrics {
		in, err := newInstrument(mt, &meter.Metrics[i])
		o.instruments = append(o.instruments, in)
		errs, all = append(errs, err), append(all, in.Observable)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return mt.RegisterCallback(o.observe, all...)
}

type instrument struct {
	*meter.Metric
	metric.Observable
	report func(to metric.Observer, v float64, of metric.MeasurementOption)
}

func newInstrument(mt metric.Meter, m *meter.Metric) (instrument, error) {
	help, unit := metric.WithDescription(m.Help), metric.WithUnit(m.Unit)
	if m.Counter && m.Unit == "s" {
		in, err := mt.Float64ObservableCounter(m.Name, help, unit)
		return instrument{m, in, func(to metric.Observer, v float64, of metric.MeasurementOption) {
			to.ObserveFloat64(in, v, of)
		}}, err
	}
	var in metric.Int64Observable
	var err error
	if m.Counter {
		in, err = mt.Int64ObservableCounter(m.Name, help, unit)
	} else {
		in, err = mt.Int64ObservableUpDownCounter(m.Name, help, unit)
	}
	return instrument{m, in, func(to metric.Observer, v float64, of metric.MeasurementOption) {
		to.ObserveInt64(in, int64(v), of)
	}}, err
}

type observer struct {
	meter       meter.Meter
	instruments []instrument
}

func (o *observer) observe(_ context.Context, to metric.Observer) error {
	rows := o.meter.Read()
	for i := range rows {
		r := &rows[i]
		for _, in := range o.instruments {
			for _, v := range in.Values(r) {
				list := []attribute.KeyValue{attribute.String(meter.Label, r.Name)}
				if in.Label != "" {
					list = append(list, attribute.String(in.Label, v.Label))
				}
				in.report(to, v.V, metric.WithAttributes(list...))
			}
		}
	}
	return nil
}
