package recording

import (
	"path/filepath"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// Patient returns l with so much time for an answer.
func (l Live) Patient(answer time.Duration) Live {
	l.answer = answer
	return l
}

// Found returns where the source of a place is, for a module in a directory.
func Found(root, module, fn, file string) string {
	h := home{module: module, root: root, scope: []string{module}}
	return h.find(dissect.Place{Func: fn, File: filepath.FromSlash(file)}).File
}
