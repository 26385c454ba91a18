// Package fetched fetches pages.
package fetched

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// Fetch returns the page at url.
func Fetch(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetched: %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}
