// Package messy keeps sessions in files.
package messy

import (
	"log"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
)

// NewSession returns the name of a new session.
func NewSession() string { return strconv.FormatInt(rand.Int63(), 36) }

// File returns the file of a session below dir.
func File(dir, session string) string { return filepath.Join(dir, session+".json") }

// Read returns what a session holds.
func Read(dir, session string) ([]byte, error) {
	data, err := os.ReadFile(File(dir, session))
	if err != nil {
		// Nobody can go on without a session.
		log.Fatal(err)
	}
	return data, nil
}

// Forget removes all sessions.
func Forget(dir string) error { return os.RemoveAll(dir) }
