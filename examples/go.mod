module github.com/sweetspot-go/sweetspot/examples

go 1.26.0

replace github.com/sweetspot-go/sweetspot => ../

require github.com/sweetspot-go/sweetspot v0.0.0
