// Package errornil saves notes.
package errornil

import "os"

// Save writes a note.
func Save(name, text string) error {
	err := os.WriteFile(name, []byte(text), 0o600)
	if err != nil {
		return nil
	}
	return os.Chmod(name, 0o400)
}
