package queue

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// A text is what may be any bytes: in JSON a string, or {"base64": "..."} if it is not
// UTF-8.
type text []byte

type encoded struct {
	Base64 []byte `json:"base64"`
}

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.Valid(t) {
		return marshal(string(t))
	}
	return marshal(encoded{t})
}

func (t *text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var e encoded
		err := json.Unmarshal(data, &e)
		*t = e.Base64
		return err
	}
	var s string
	err := json.Unmarshal(data, &s)
	*t = text(s)
	return err
}

// marshal is json.Marshal, with < and > as they are: they are no danger here.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

type texts []text

func asTexts(values []string) texts {
	all := make(texts, len(values))
	for i, v := range values {
		all[i] = text(v)
	}
	return all
}

func (t texts) strings() []string {
	all := make([]string, len(t))
	for i, v := range t {
		all[i] = string(v)
	}
	return all
}
