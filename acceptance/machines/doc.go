// Package machines reads the files of docs/machines as Docker Compose, Kubernetes and a
// NATS server do.
package machines
