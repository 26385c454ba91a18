package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// A disk is a file system. Tests use one that fails.
type disk interface {
	// Open opens a file for reading, and, if write is set, also for writing,
	// creating it if necessary.
	Open(path string, write bool) (file, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncDir makes the entries of path's directory durable.
	SyncDir(path string) error
	// Lock locks path for this process, or returns a [*LockError].
	Lock(path string) (io.Closer, error)
}

type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	Stat() (os.FileInfo, error)
}

type osDisk struct{}

func (osDisk) Open(path string, write bool) (file, error) {
	if write {
		return asFile(os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600))
	}
	return asFile(os.Open(path))
}

// asFile avoids a typed nil.
func asFile(f *os.File, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) Remove(path string) error { return os.Remove(path) }

func (osDisk) SyncDir(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (osDisk) Lock(path string) (io.Closer, error) { return lock(path) }

func sizeOf(f file) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
