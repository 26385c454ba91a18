// Package anyredirect sends people back.
package anyredirect

import "net/http"

// Back redirects to where the request asks.
func Back(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, r.URL.Query().Get("next"), http.StatusFound)
}
