package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// A page serves the files of the page from memory. The screens of the page have paths of
// their own: a path that is no file gets index.html.
type page map[string]file

// A file is a file of the page, as it is and compressed.
type file struct {
	typ, tag      string
	text, smaller []byte
}

// newPage reads the files. Those that cannot be read are not served.
func newPage(files fs.FS) page {
	p := page{}
	_ = fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, _ error) error {
		if text, err := fs.ReadFile(files, name); err == nil { // no directory
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
		http.Error(w, "GET only", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	f, found := p[name]
	if !found && strings.HasPrefix(name, "assets/") {
		http.NotFound(w, r)
		return
	}
	if !found {
		f = p["index.html"]
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
