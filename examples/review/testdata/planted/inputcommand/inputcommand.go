// Package inputcommand shows the log of a service.
package inputcommand

import (
	"net/http"
	"os/exec"
)

// Log writes the log of the service that the request names.
func Log(w http.ResponseWriter, r *http.Request) {
	out, err := exec.CommandContext(r.Context(), r.FormValue("tool"), "--log").Output()
	if err != nil {
		http.Error(w, "no log", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	if _, err := w.Write(out); err != nil {
		return
	}
}
