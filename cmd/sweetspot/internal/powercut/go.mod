module github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/powercut

go 1.26.0

replace github.com/sweetspot-go/sweetspot => ../../../..

require (
	github.com/hanwen/go-fuse/v2 v2.12.1
	github.com/sweetspot-go/sweetspot v0.0.0-00010101000000-000000000000
)

require golang.org/x/sys v0.49.0
