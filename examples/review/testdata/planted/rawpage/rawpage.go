// Package rawpage greets visitors.
package rawpage

import (
	"fmt"
	"net/http"
)

// Hello greets the visitor by name.
func Hello(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "<h1>Hello %s</h1>", r.FormValue("name"))
}
