// Package wrongerrorreturned copies settings.
package wrongerrorreturned

import "os"

// Copy copies a file.
func Copy(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return nil
	}
	return os.WriteFile(to, data, 0o600)
}
