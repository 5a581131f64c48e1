package dash

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"time"
)

// uPlot 1.6.32 by Leon Sorokin draws the plots; it is from the npm package of
// that name and version, unchanged, and its licence comes with it.
//
//go:embed web
var web embed.FS

// kinds are not left to package mime, which believes the machine's tables.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8",
}

func serveFile(w http.ResponseWriter, r *http.Request, name string) {
	name = cmp.Or(name, "page.html")
	data, err := web.ReadFile("web/" + name)
	if err != nil {
		data, err = web.ReadFile("web/uplot/" + name)
	}
	if err != nil {
		http.Error(w, fmt.Sprintf("sweetspot: there is no %q here; the page is at the path of its handler, which must end in a slash", name), http.StatusNotFound)
		return
	}
	sum := sha256.Sum256(data) // takes less than to send it
	h := w.Header()
	h.Set("Content-Type", kinds[path.Ext(name)])
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}
