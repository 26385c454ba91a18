// Package shellline counts lines.
package shellline

import "os/exec"

// Count returns what wc says about a file.
func Count(name string) ([]byte, error) {
	return exec.Command("sh", "-c", "wc -l < "+name).Output()
}
