module github.com/sweetspot-go/sweetspot/docs

go 1.26.0

replace (
	github.com/sweetspot-go/sweetspot => ../
	github.com/sweetspot-go/sweetspot/contrib/sql => ../contrib/sql
	github.com/sweetspot-go/sweetspot/vet => ../vet
)

require (
	github.com/alitto/pond/v2 v2.7.1
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/panjf2000/ants/v2 v2.12.1
	github.com/sourcegraph/conc v0.3.0
	github.com/sweetspot-go/sweetspot v0.0.0
	github.com/sweetspot-go/sweetspot/contrib/sql v0.0.0
	github.com/sweetspot-go/sweetspot/vet v0.0.0
	golang.org/x/sync v0.24.0
	mvdan.cc/sh/v3 v3.14.1
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/influxdata/tdigest v0.0.1 // indirect
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
