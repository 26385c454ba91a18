// Package anyfile serves reports.
package anyfile

import (
	"net/http"
	"os"
)

// Report sends the report that the request names.
func Report(w http.ResponseWriter, r *http.Request) {
	data, err := os.ReadFile("reports/" + r.URL.Query().Get("name"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if _, err := w.Write(data); err != nil {
		return
	}
}
