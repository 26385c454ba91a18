// Package droppedjson reads settings.
package droppedjson

import "encoding/json"

// Settings are what a user may change.
type Settings struct{ Theme string }

// Parse reads settings.
func Parse(data []byte) Settings {
	var s Settings
	json.Unmarshal(data, &s)
	return s
}
