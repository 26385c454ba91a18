// Package openbody checks addresses.
package openbody

import "net/http"

// Alive says whether there is an answer at url.
func Alive(client *http.Client, url string) bool {
	resp, err := client.Get(url)
	if err != nil {
		return false
	}
	return resp.StatusCode < 500
}
