package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// screens begin the paths that the page has beside its files.
var screens = []string{"solves", "inbox", "rooms", "agents", "reports", "memory", "runs", "health"}

// A page serves the files of the page from memory. The screens of the page have paths of
// their own, which get index.html.
type page map[string]file

// A file is a file of the page, as it is and compressed.
type file struct {
	typ, tag      string
	text, smaller []byte
}

// newPage reads the files. Those that cannot be read are not served. Addresses in index.html begin with
// base.
func newPage(files fs.FS, base string) page {
	p := page{}
	_ = fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, _ error) error {
		if text, err := fs.ReadFile(files, name); err == nil { // no directory
			if name == "index.html" {
				text = bytes.ReplaceAll(text, []byte(`"/`), []byte(`"`+html.EscapeString(base)))
			}
			p[name] = newFile(name, text)
		}
		return nil
	})
	return p
}

func newFile(name string, text []byte) file {
	sum := sha256.Sum256(text)
	var smaller bytes.Buffer
	w, _ := gzip.NewWriterLevel(&smaller, gzip.BestCompression) // the level is valid
	_, _ = w.Write(text)                                        // into memory
	_ = w.Close()
	return file{mime.TypeByExtension(path.Ext(name)), `"` + hex.EncodeToString(sum[:12]) + `"`, text, smaller.Bytes()}
}

// ServeHTTP implements [http.Handler].
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		api.Refuse(w, api.NewError(http.StatusMethodNotAllowed, "the page is only read"))
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	screen, _, _ := strings.Cut(name, "/")
	f, found := p[name]
	switch {
	case found:
	case screen == "" || slices.Contains(screens, screen):
		f = p["index.html"]
	default:
		api.Refuse(w, api.NewError(http.StatusNotFound, "the page has no "+r.URL.Path))
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.typ)
	h.Set("ETag", f.tag)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	text := f.text
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		text = f.smaller
	}
	if r.Method == http.MethodGet {
		_, _ = w.Write(text) // a client that has gone does not need it
	}
}
