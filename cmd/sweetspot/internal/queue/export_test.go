package queue

import "encoding/json"

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
