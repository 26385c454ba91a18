package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A disk is a file system. Tests use one that fails.
type disk interface {
	// Resolve returns the path of the file that path leads to, which need not
	// exist, without symbolic links.
	Resolve(path string) (string, error)
	// Open opens a file for reading, and, if write is set, also for writing,
	// creating it if necessary.
	Open(path string, write bool) (file, error)
	Rename(from, to string) error
	Remove(path string) error
	// Is reports whether path is a name of f.
	Is(path string, f file) (bool, error)
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
	Chmod(mode os.FileMode) error
}

type osDisk struct{}

func (d osDisk) Resolve(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return resolved, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("journal: %s needs a directory that is there: %w", path, err)
	}
	path = filepath.Join(dir, filepath.Base(path))
	to, _ := os.Readlink(path)
	switch {
	case to == "":
		return path, nil // there is no file yet
	case !filepath.IsAbs(to):
		to = filepath.Join(dir, to)
	}
	return d.Resolve(to) // a link to a file that is not there yet
}

func (osDisk) Open(path string, write bool) (file, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &FormatError{Path: path} // a pipe would wait for its other end
	}
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

func (osDisk) Is(path string, f file) (bool, error) {
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, there), err
}

func (osDisk) SyncDir(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (osDisk) Lock(path string) (io.Closer, error) { return Lock(path) }

func sizeOf(f file) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
