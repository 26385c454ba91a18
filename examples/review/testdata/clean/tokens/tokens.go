// Package tokens makes tokens nobody can guess, and shuffles cards.
package tokens

import (
	"crypto/rand"
	"encoding/hex"
	mathrand "math/rand/v2"
)

// NewToken returns a token for a session.
func NewToken() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// Shuffle mixes cards.
func Shuffle(cards []int) {
	mathrand.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
}
