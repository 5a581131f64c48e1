module github.com/sweetspot-go/sweetspot/examples

go 1.26.0

replace (
	github.com/sweetspot-go/sweetspot => ../
	github.com/sweetspot-go/sweetspot/lab => ../lab
)

require (
	github.com/sweetspot-go/sweetspot v0.0.0
	github.com/sweetspot-go/sweetspot/lab v0.0.0
	golang.org/x/sys v0.49.0 // indirect
)

require github.com/spf13/pflag v1.0.9
