package vetcmd

import (
	"bytes"
	"io"

	"github.com/rogpeppe/go-internal/diff"
)

// writeDiff writes a unified diff that patch and git apply understand. It is
// nothing if old and new are the same.
func writeDiff(w io.Writer, path string, old, new []byte) error {
	text := diff.Diff("a/"+path, old, "b/"+path, new)
	_, text, _ = bytes.Cut(text, []byte("\n")) // without the command of a diff
	_, err := w.Write(text)
	return err
}
