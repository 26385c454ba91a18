// Package tidied removes caches, and tests that it does.
package tidied

import (
	"os"
	"path/filepath"
)

// Clean removes the cache below dir.
func Clean(dir string) error { return os.RemoveAll(filepath.Join(dir, "cache")) }
