// Package servedmap counts visits.
package servedmap

import (
	"fmt"
	"net/http"
)

var visits = make(map[string]int)

// Visit counts a visit of a page.
func Visit(w http.ResponseWriter, r *http.Request) {
	visits[r.URL.Path]++
	fmt.Fprintln(w, len(visits))
}
