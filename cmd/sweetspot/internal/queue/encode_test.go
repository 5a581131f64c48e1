package queue_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// What is kept is what encoding/json would write, and is read as what it was.
func TestEncode(t *testing.T) {
	began := time.Date(2026, 2, 3, 4, 5, 6, 70, time.UTC)
	for _, r := range []queue.Record{
		{},
		{Version: 1, Job: 1<<64 - 1, State: "done", Values: queue.Records{}, Tries: 1, Round: 1, Worker: "host:12", Began: began, Seconds: 0.25},
		{Status: -1, Signal: 9, Error: `exit "status" 3`, Seconds: 3e-9, Began: began, Values: queue.Records{[]byte("a"), []byte("")}},
		{Worker: "hôst\xff:1", Values: queue.Records{[]byte("a\tb"), []byte("<&>"), []byte("\x80\xff"), []byte("日本\u2028")}, Began: began.Add(time.Second)},
		{Stdout: []byte("pl"), StdoutBytes: 1 << 40, StderrBytes: 7},
		{Stdout: []byte("plain ~"), Stderr: []byte("two\nlines\x00\x7f"), Seconds: 1e21},
		{Stdout: []byte(`back\slash`), Stderr: []byte(`"`), Outputs: &queue.Object{Name: `7."x"`, Stdout: 300000}},
	} {
		got, err := queue.Encode(&r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := queue.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("Encode returned\n%s\nwant\n%s", got, want)
		}
	}
}

// FuzzEncode looks for bytes that do not come back.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("1"), []byte(""), "host:1", "", uint64(1), 0.5)
	f.Add([]byte("a\\\"\n\x00"), []byte("\xff\xfe"), "h\u2029", "exit status 1", uint64(0), 1e-9)
	f.Fuzz(func(t *testing.T, value, out []byte, worker, why string, job uint64, seconds float64) {
		r := queue.Record{Job: job, Values: queue.Records{value}, Stdout: out, Stderr: value, Worker: worker, Error: why, Seconds: seconds, Began: time.Unix(int64(job>>32), 7).UTC()}
		got, err := queue.Encode(&r)
		want, werr := queue.Marshal(&r)
		if (err == nil) != (werr == nil) {
			t.Fatalf("Encode: %v, want %v", err, werr)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("Encode returned\n%s\nwant\n%s", got, want)
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
