// Package checksum compares files as the old protocol asks.
package checksum

import (
	"crypto/md5"
	"encoding/hex"
	"io"
)

// ETag returns the entity tag of what r holds.
func ETag(r io.Reader) (string, error) {
	h := md5.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
