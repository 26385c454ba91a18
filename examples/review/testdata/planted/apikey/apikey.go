// Package apikey asks the weather.
package apikey

import "net/url"

var apiKey = "9f8c2e7d41b64a0fa3d5e8b17c6f2a90"

// Query returns the query for a city.
func Query(city string) string {
	return url.Values{"city": {city}, "key": {apiKey}}.Encode()
}
