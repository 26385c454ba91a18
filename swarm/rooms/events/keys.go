package events

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// ErrKey is wrapped by the errors of keys that cannot be used.
var ErrKey = errors.New("events: key")

// Keys are the private keys of a process and its agents, each in a file of its own
// with mode 0600: NAME.key in Dir, as PEM. Their methods must not be called
// concurrently.
type Keys struct {
	Dir    string
	Random io.Reader // 32 bytes make a key; nil: the system's
}

// Get returns the key of a name whose public half is known as public, or makes one if
// none is known (""). A file that others may read, or with another key than the known
// one, is an error that wraps [ErrKey].
func (k *Keys) Get(name, public string) (ed25519.PrivateKey, error) {
	if err := CheckName("key", name); err != nil {
		return nil, err
	}
	key, err := ReadKey(k.path(name))
	if public == "" && errors.Is(err, fs.ErrNotExist) {
		return k.make(k.path(name))
	}
	if err == nil && (public == "" || PublicText(key) == public) {
		return key, nil
	}
	// A rotation that was in the log before its key was in place is completed.
	if next, nextErr := ReadKey(k.next(name)); nextErr == nil && PublicText(next) == public {
		return next, os.Rename(k.next(name), k.path(name))
	}
	if err == nil {
		err = fmt.Errorf("%w: %s is not the key that %s signs with by now", ErrKey, k.path(name), name)
	}
	return nil, err
}

// Next makes the key that a name will sign with. It replaces the present one by
// [Keys.Rotated], when the rotation is in the log.
func (k *Keys) Next(name string) (ed25519.PrivateKey, error) {
	if err := os.Remove(k.next(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return k.make(k.next(name))
}

// Rotated puts the next key of a name in place of the present one.
func (k *Keys) Rotated(name string) error { return os.Rename(k.next(name), k.path(name)) }

func (k *Keys) path(name string) string { return filepath.Join(k.Dir, name+".key") }
func (k *Keys) next(name string) string { return filepath.Join(k.Dir, name+".key.next") }

// make writes a new key. It is on the disk when make returns.
func (k *Keys) make(path string) (ed25519.PrivateKey, error) {
	random := cmp.Or(k.Random, rand.Reader)
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	key := ed25519.NewKeyFromSeed(seed)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return key, writeNew(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// writeNew writes a file under another name first, so that a crash leaves no half key.
func writeNew(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Link(f.Name(), path) // fails if there is a file already
	}
	return errors.Join(err, os.Remove(f.Name()))
}

// ReadKey reads a file of a key. One that others may read is an error that wraps [ErrKey].
func ReadKey(path string) (ed25519.PrivateKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%w: others may read %s: its mode is %v, not 0600", ErrKey, path, info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("%w: %s has no PEM block", ErrKey, path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrKey, path, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%w: %s is not an Ed25519 key", ErrKey, path)
	}
	return key, nil
}
