module github.com/sweetspot-go/sweetspot/limit/internal/checked

go 1.26.0

replace github.com/sweetspot-go/sweetspot => ../../../

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/sweetspot-go/sweetspot v0.0.0
)
