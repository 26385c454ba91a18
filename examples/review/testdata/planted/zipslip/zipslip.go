// Package zipslip unpacks archives.
package zipslip

import (
	"archive/zip"
	"os"
	"path/filepath"
)

// Unpack makes the directories of an archive below dir.
func Unpack(archive *zip.Reader, dir string) error {
	for _, f := range archive.File {
		if err := os.MkdirAll(filepath.Join(dir, f.Name), 0o750); err != nil {
			return err
		}
	}
	return nil
}
