// Package guessedtoken logs people in.
package guessedtoken

import (
	"math/rand"
	"strconv"
)

// NewToken returns a token for a session.
func NewToken() string {
	return strconv.FormatInt(rand.Int63(), 36)
}
