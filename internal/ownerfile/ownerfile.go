// Package ownerfile replaces files that only their owner reads, such as tokens.
package ownerfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes a file with the mode 0600 in place of the one at path, whole or not at all. Its directory is there.
func Replace(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // with the mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // what is left of the attempt
	}
	return err
}
