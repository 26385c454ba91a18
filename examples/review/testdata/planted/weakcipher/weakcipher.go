// Package weakcipher hides notes.
package weakcipher

import "crypto/des"

// Hide encrypts one block.
func Hide(key, block []byte) ([]byte, error) {
	c, err := des.NewCipher(key)
	if err != nil {
		return nil, err
	}
	out := make([]byte, c.BlockSize())
	c.Encrypt(out, block)
	return out, nil
}
