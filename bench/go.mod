module github.com/sweetspot-go/sweetspot/bench

go 1.26.0

require (
	github.com/sweetspot-go/sweetspot v0.0.0-00010101000000-000000000000
	golang.org/x/sync v0.24.0
)

replace github.com/sweetspot-go/sweetspot => ../
