module github.com/sweetspot-go/sweetspot

go 1.26
