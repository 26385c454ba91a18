// Package nilresult keeps settings.
package nilresult

// Settings are what a user may change.
type Settings struct{ Theme string }

// Theme returns the theme of s, or of the defaults.
func Theme(s *Settings) string {
	var defaults *Settings
	if s == nil {
		return defaults.Theme
	}
	return s.Theme
}
