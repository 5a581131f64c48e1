module github.com/sweetspot-go/sweetspot/cmd/sweetspot

go 1.26.0

replace (
	github.com/sweetspot-go/sweetspot => ../..
	github.com/sweetspot-go/sweetspot/contrib/nats => ../../contrib/nats
	github.com/sweetspot-go/sweetspot/lab => ../../lab
)

require (
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
	github.com/nats-io/jwt/v2 v2.8.2
	github.com/nats-io/nats-server/v2 v2.15.2
	github.com/nats-io/nats.go v1.55.0
	github.com/nats-io/nkeys v0.4.16
	github.com/nats-io/nuid v1.0.1
	github.com/rogpeppe/go-internal v1.16.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	github.com/sweetspot-go/sweetspot v0.0.0
	github.com/sweetspot-go/sweetspot/contrib/nats v0.0.0
	github.com/sweetspot-go/sweetspot/lab v0.0.0
	golang.org/x/mod v0.42.0
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
	mvdan.cc/sh/v3 v3.14.1
)

require (
	github.com/antithesishq/antithesis-sdk-go v0.8.0-default-no-op // indirect
	github.com/google/go-tpm v0.9.8 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
	github.com/spaolacci/murmur3 v1.1.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/exp v0.0.0-20261014143641-f0251eb4aa3e // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/sweetspot-go/sweetspot/vet v0.0.0
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.52.0
)

replace github.com/sweetspot-go/sweetspot/vet => ../../vet
