package dash

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"sync"
	"time"
)

// uPlot 1.6.32 by Leon Sorokin draws the plots; it is from the npm package of
// that name and version, unchanged, and its licence comes with it.
//
//go:embed web
var web embed.FS

// A file is one of the page's own.
type file struct {
	kind string
	data []byte
	tag  string
}

var files = sync.OnceValue(func() map[string]file {
	m := make(map[string]file)
	err := fs.WalkDir(web, "web", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := web.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		m[path.Base(name)] = file{kinds[path.Ext(name)], data, `"` + hex.EncodeToString(sum[:8]) + `"`}
		return nil
	})
	if err != nil {
		panic(err) // the files are in the program
	}
	m[""] = m["page.html"]
	return m
})

// kinds are not left to package mime, which believes the machine's tables.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8",
}

func serveFile(w http.ResponseWriter, r *http.Request, name string) {
	f, ok := files()[name]
	if !ok {
		http.Error(w, fmt.Sprintf("sweetspot: there is no %q here; the page is at the path of its handler, which must end in a slash", name), http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(f.data))
}
