// Package machines holds files that run a queue on several machines: for Docker
// Compose and for Kubernetes. The page beside the directory describes them. This is a
// module of its own for the sake of its test, which reads them as those programs do.
package machines
