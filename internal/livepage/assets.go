package livepage

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"
)

//go:embed assets
var embedded embed.FS

// asset is one file of the page. It implements http.Handler.
type asset struct {
	path    string // path in the URL, as a pattern of http.ServeMux
	kind    string // media type
	etag    string
	content []byte
}

// kinds maps extensions to media types, equal on every system.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8",
}

// assets returns the files of the page with a known media type. Other files are not served.
func assets() []*asset {
	var all []*asset
	err := fs.WalkDir(embedded, "assets", func(name string, d fs.DirEntry, err error) error {
		kind, ok := kinds[path.Ext(name)]
		if err != nil || d.IsDir() || !ok {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		a := &asset{path: name[len("assets"):], kind: kind, etag: `"` + hex.EncodeToString(sum[:8]) + `"`, content: content}
		if a.path == "/index.html" {
			a.path = "/{$}"
		}
		all = append(all, a)
		return nil
	})
	if err != nil {
		panic("livepage: " + err.Error()) // the files are in the binary
	}
	return all
}

// ServeHTTP implements http.Handler.
func (a *asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("ETag", a.etag)
	w.Header().Set("Cache-Control", "no-cache") // revalidate
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
}
