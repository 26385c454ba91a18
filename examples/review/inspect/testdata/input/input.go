// Package input takes it from requests, or not.
package input

import (
	"html"
	"io"
	"net/http"
	"os"
)

func page(w http.ResponseWriter, r *http.Request) {
	if _, err := io.WriteString(w, "<p>"+r.FormValue("name")); err != nil { // want G705
		return
	}
}

func escaped(w http.ResponseWriter, r *http.Request) {
	if _, err := io.WriteString(w, "<p>"+html.EscapeString(r.FormValue("name"))); err != nil {
		return
	}
}

// method answers with what the server has checked before: gosec takes a whole
// request for input.
func method(w http.ResponseWriter, r *http.Request) {
	if _, err := io.WriteString(w, "<p>"+r.Method); err != nil {
		return
	}
}

// open takes a name from the program: gosec takes any handler's helper for
// tainted.
func open(w http.ResponseWriter, r *http.Request, name string) {
	w.Header().Set("Content-Type", "text/plain")
	data, err := os.ReadFile(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if _, err := w.Write(data); err != nil {
		return
	}
}
