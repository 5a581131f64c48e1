package queue_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// FuzzEncode looks for bytes that do not come back.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("1"), []byte(""), "host:1", "", uint64(1), 0.5)
	f.Add([]byte("a\\\"\n\x00"), []byte("\xff\xfe"), "h\u2029", "exit status 1", uint64(0), 1e-9)
	f.Fuzz(func(t *testing.T, value, out []byte, worker, why string, job uint64, seconds float64) {
		r := queue.Record{Job: job, Values: queue.Records{value}, Stdout: out, Stderr: value, Worker: worker, Error: why, Seconds: seconds, Began: time.Unix(int64(job>>32), 7).UTC()}
		got, err := queue.Marshal(&r)
		if err != nil {
			return
		}
		back, err := queue.Decode(got)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(append([]byte{}, back.Stdout...), append([]byte{}, out...)) {
			t.Fatalf("%q came back as %q", out, back.Stdout)
		}
	})
}
