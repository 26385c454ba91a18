// Package shortkey makes keys.
package shortkey

import (
	"crypto/rand"
	"crypto/rsa"
)

// New returns a new key.
func New() (*rsa.PrivateKey, error) {
	return rsa.GenerateKey(rand.Reader, 1024)
}
