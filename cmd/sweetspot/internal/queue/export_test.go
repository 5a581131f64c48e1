package queue

import (
	"encoding/json"
	"net"
)

type (
	Record  = record
	Records = texts
	Object  = object
)

// Encode returns r as it is kept.
func Encode(r *Record) ([]byte, error) { return r.encode() }

// Marshal returns r as encoding/json writes it.
func Marshal(r *Record) ([]byte, error) { return marshal(r) }

// Decode reads what Encode returned.
func Decode(data []byte) (r Record, err error) {
	err = json.Unmarshal(data, &r)
	return r, err
}

// DialEnded dials a server of this process that has ended by itself.
func DialEnded(dir string) (net.Conn, error) {
	h := &home{dir: dir, tell: func(string) {}}
	defer h.close()
	if err := h.serve(h.options()); err != nil {
		return nil, nil
	}
	h.server.Shutdown()
	return h.Dial("", "")
}
