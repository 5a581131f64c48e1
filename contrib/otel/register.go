package otelsweetspot

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/sweetspot-go/sweetspot/contrib/internal/meter"
)

// scope is the name of the instrumentation scope.
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
	for i := range meter.Metrics {
		errs = append(errs, o.add(mt, &meter.Metrics[i]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return mt.RegisterCallback(o.observe, o.instruments()...)
}

// An observer reports the rows of a meter to instruments of whole numbers and of
// others.
type observer struct {
	meter  meter.Meter
	whole  []whole
	floats []float
}

type whole struct {
	*meter.Metric
	metric.Int64Observable
}

type float struct {
	*meter.Metric
	metric.Float64Observable
}

func (o *observer) add(mt metric.Meter, m *meter.Metric) error {
	help, unit := metric.WithDescription(m.Help), metric.WithUnit(m.Unit)
	var err error
	switch {
	case m.Kind == meter.Gauge:
		var in metric.Int64Observable
		in, err = mt.Int64ObservableUpDownCounter(m.Name, help, unit)
		o.whole = append(o.whole, whole{m, in})
	case m.Unit == "s":
		var in metric.Float64Observable
		in, err = mt.Float64ObservableCounter(m.Name, help, unit)
		o.floats = append(o.floats, float{m, in})
	default:
		var in metric.Int64Observable
		in, err = mt.Int64ObservableCounter(m.Name, help, unit)
		o.whole = append(o.whole, whole{m, in})
	}
	return err
}

func (o *observer) instruments() []metric.Observable {
	var all []metric.Observable
	for _, in := range o.whole {
		all = append(all, in.Int64Observable)
	}
	for _, in := range o.floats {
		all = append(all, in.Float64Observable)
	}
	return all
}

func (o *observer) observe(_ context.Context, to metric.Observer) error {
	rows := o.meter.Read()
	for i := range rows {
		r := &rows[i]
		for _, in := range o.whole {
			for _, v := range in.Values(r) {
				to.ObserveInt64(in.Int64Observable, int64(v.V), attributes(r, in.Metric, v))
			}
		}
		for _, in := range o.floats {
			for _, v := range in.Values(r) {
				to.ObserveFloat64(in.Float64Observable, v.V, attributes(r, in.Metric, v))
			}
		}
	}
	return nil
}

func attributes(r *meter.Row, m *meter.Metric, v meter.Value) metric.MeasurementOption {
	list := []attribute.KeyValue{attribute.String(meter.Label, r.Name)}
	if m.Label != "" {
		list = append(list, attribute.String(m.Label, v.Label))
	}
	return metric.WithAttributes(list...)
}
