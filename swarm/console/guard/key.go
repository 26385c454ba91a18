package guard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// A Key is the secret of a server: its token is derived from it, and it signs cookies. So
// both hold when the server starts again.
type Key [32]byte

// NewKey returns a random key.
func NewKey() (k Key) {
	_, _ = rand.Read(k[:]) // never fails
	return k
}

// Load returns the key in a file that only its owner may read, or makes one.
func Load(path string) (k Key, err error) {
	if err := private(path); errors.Is(err, fs.ErrNotExist) {
		k = NewKey()
		return k, os.WriteFile(path, k[:], 0o600)
	} else if err != nil {
		return k, err
	}
	text, err := os.ReadFile(path)
	if err == nil && copy(k[:], text) != len(k) {
		err = fmt.Errorf("guard: %s does not hold a key; delete the file to get a new one", path)
	}
	return k, err
}

func (k Key) sum(what string) []byte {
	h := hmac.New(sha256.New, k[:])
	h.Write([]byte(what))
	return h.Sum(nil)
}

// Token returns the token.
func (k Key) Token() string { return base64.RawURLEncoding.EncodeToString(k.sum("token")) }

// is reports whether a text is the token, in a time that does not depend on it.
func (k Key) is(token string) bool {
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(k.Token()))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// session returns the value of a cookie with a name that is valid until a time, for the token with a
// hash; nil: that of the key.
func (k Key) session(name string, until time.Time, hash []byte) string {
	about := make([]byte, 24)
	binary.BigEndian.PutUint64(about[:8], uint64(until.Unix()))
	_, _ = rand.Read(about[8:])
	text := base64.RawURLEncoding.EncodeToString(append(about, hash...))
	return text + "." + base64.RawURLEncoding.EncodeToString(k.sum(name+" "+text))
}

// opens reports whether a cookie is valid, and the name of its session and the hash of its token.
func (k Key) opens(cookie, value string, now time.Time) (name string, hash []byte, ok bool) {
	text, sum, found := strings.Cut(value, ".")
	got, err := base64.RawURLEncoding.DecodeString(sum)
	if !found || err != nil || !hmac.Equal(got, k.sum(cookie+" "+text)) {
		return "", nil, false
	}
	about, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(about) != 24 && len(about) != 24+sha256.Size {
		return "", nil, false
	}
	return text[12:32], about[24:], now.Before(time.Unix(int64(binary.BigEndian.Uint64(about[:8])), 0))
}
