package promsweetspot_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sweetspot-go/sweetspot"
	promsweetspot "github.com/sweetspot-go/sweetspot/contrib/prometheus"
)

func ExampleNewCollector() {
	registry := prometheus.NewRegistry() // or prometheus.MustRegister
	registry.MustRegister(promsweetspot.NewCollector())
	l := sweetspot.New(sweetspot.Name("thumbnails"))

	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		fmt.Println(f.GetName(), strings.ToLower(f.GetType().String()))
	}
	_ = l.Limit()
	// Output:
	// sweetspot_active_time_seconds_total counter
	// sweetspot_decisions_total counter
	// sweetspot_in_flight gauge
	// sweetspot_limit gauge
	// sweetspot_manual gauge
	// sweetspot_units_total counter
	// sweetspot_wait_time_seconds histogram
	// sweetspot_waiting gauge
}
