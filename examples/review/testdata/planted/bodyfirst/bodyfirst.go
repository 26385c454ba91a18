// Package bodyfirst fetches pages.
package bodyfirst

import (
	"io"
	"net/http"
)

// Fetch returns the page at url.
func Fetch(url string) ([]byte, error) {
	resp, err := http.Get(url)
	defer resp.Body.Close()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(resp.Body)
}
