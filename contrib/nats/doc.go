// Package natslimit handles the messages of a NATS JetStream consumer, as many at a
// time as is best, a number that each worker finds by itself.
package natslimit
