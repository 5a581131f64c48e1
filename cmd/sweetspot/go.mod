module github.com/sweetspot-go/sweetspot/cmd/sweetspot

go 1.26.0

replace github.com/sweetspot-go/sweetspot => ../..

require (
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	github.com/sweetspot-go/sweetspot v0.0.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
