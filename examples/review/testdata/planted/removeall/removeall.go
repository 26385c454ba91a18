// Package removeall tidies up.
package removeall

import (
	"os"
	"path/filepath"
)

// Clean removes the cache below dir.
func Clean(dir string) error {
	return os.RemoveAll(filepath.Join(dir, "cache"))
}

// Name returns the cache of dir.
func Name(dir string) string { return filepath.Join(dir, "cache") }
