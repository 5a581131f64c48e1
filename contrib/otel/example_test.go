package otelsweetspot_test

import (
	"context"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/sweetspot-go/sweetspot"
	otelsweetspot "github.com/sweetspot-go/sweetspot/contrib/otel"
)

func ExampleRegister() {
	reader := metric.NewManualReader() // a program has one with an exporter
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	if _, err := otelsweetspot.Register(provider); err != nil {
		log.Fatal(err)
	}
	l := sweetspot.New(sweetspot.Name("thumbnails"))

	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		log.Fatal(err)
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		fmt.Println(m.Name, m.Unit)
	}
	_ = l.Limit()
	// Unordered output:
	// sweetspot.limit {unit}
	// sweetspot.in_flight {unit}
	// sweetspot.waiting {unit}
	// sweetspot.manual {limiter}
	// sweetspot.units {unit}
	// sweetspot.decisions {decision}
	// sweetspot.active_time s
}

func ExampleNewProducer() {
	reader := metric.NewManualReader(metric.WithProducer(otelsweetspot.NewProducer()))
	metric.NewMeterProvider(metric.WithReader(reader))
	l := sweetspot.New(sweetspot.Name("thumbnails"))

	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		log.Fatal(err)
	}
	m := all.ScopeMetrics[0].Metrics[0]
	fmt.Printf("%s %s %T\n", m.Name, m.Unit, m.Data)
	_ = l.Limit()
	// Output: sweetspot.wait_time s metricdata.Histogram[float64]
}
