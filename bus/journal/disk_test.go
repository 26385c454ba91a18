package journal

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
)

// A memDisk is a disk that fails on request and that can lose power. As on
// Linux, data that a failed sync did not write counts as clean afterwards: a
// second sync succeeds without writing it.
type memDisk struct {
	mu      sync.Mutex
	files   map[string]*memData
	durable map[string]*memData // names that survive a crash
	locked  map[string]bool
	room    int // bytes; 0: enough
	ops     int
	fail    func(op string, n int) error // called before each writing operation
	block   func()                       // called before each sync of a file
}

type memData struct {
	mu    sync.Mutex
	cache []byte
	from  int // the first byte that is not on the disk
	disk  []byte
}

func newMemDisk() *memDisk {
	return &memDisk{files: map[string]*memData{}, durable: map[string]*memData{}, locked: map[string]bool{}}
}

// diskWith returns a disk with one file, all of it durable.
func diskWith(path string, content []byte) *memDisk {
	d := newMemDisk()
	data := &memData{cache: bytes.Clone(content), from: len(content), disk: bytes.Clone(content)}
	d.files[path], d.durable[path] = data, data
	return d
}

var errDisk = errors.New("the disk failed")

func (d *memDisk) op(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ops++
	if d.fail == nil {
		return nil
	}
	return d.fail(name, d.ops)
}

// crash returns the disk after a loss of power: with what was synced.
func (d *memDisk) crash() *memDisk {
	after := newMemDisk()
	for name, data := range d.durable {
		one := diskWith(name, data.disk)
		after.files[name], after.durable[name] = one.files[name], one.files[name]
	}
	return after
}

// failing lets every operation of that name fail.
func (d *memDisk) failing(op string) {
	d.fail = func(what string, _ int) error {
		if what == op {
			return errDisk
		}
		return nil
	}
}

// restart ends the processes.
func (d *memDisk) restart() { d.locked, d.fail, d.ops = map[string]bool{}, nil, 0 }

func (d *memDisk) Open(path string, write bool) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	data := d.files[path]
	if data == nil {
		if !write {
			return nil, fs.ErrNotExist
		}
		data = &memData{}
		d.files[path] = data
	}
	return &memFile{d, data}, nil
}

func (d *memDisk) Resolve(path string) (string, error) { return path, nil }

func (d *memDisk) Is(path string, f file) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[path] == f.(*memFile).memData, nil
}

func (d *memDisk) Rename(from, to string) error {
	if err := d.op("rename"); err != nil {
		return err
	}
	d.files[to] = d.files[from]
	delete(d.files, from)
	return nil
}

func (d *memDisk) Remove(path string) error {
	if d.files[path] == nil {
		return fs.ErrNotExist
	}
	delete(d.files, path)
	return nil
}

func (d *memDisk) SyncDir(string) error {
	if err := d.op("syncdir"); err != nil {
		return err
	}
	d.durable = map[string]*memData{}
	for name, data := range d.files {
		d.durable[name] = data
	}
	return nil
}

func (d *memDisk) Lock(path string) (io.Closer, error) {
	if d.locked[path] {
		return nil, &LockError{Path: path}
	}
	d.locked[path] = true
	return memLock{d, path}, nil
}

type memLock struct {
	d    *memDisk
	path string
}

func (l memLock) Close() error { delete(l.d.locked, l.path); return nil }

type memFile struct {
	d *memDisk
	*memData
}

func (f *memFile) ReadAt(p []byte, at int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.NewReader(f.cache).ReadAt(p, at)
}

// WriteAt writes half of the data when it fails.
func (f *memFile) WriteAt(p []byte, at int64) (int, error) {
	err := f.d.op("write")
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		p = p[:len(p)/2]
	}
	if room := f.d.room; room > 0 && int(at)+len(p) > room {
		p, err = p[:max(0, room-int(at))], syscall.ENOSPC
	}
	f.resize(max(len(f.cache), int(at)+len(p)))
	copy(f.cache[at:], p)
	f.from = min(f.from, int(at))
	return len(p), err
}

func (f *memFile) resize(n int) {
	f.from = min(f.from, n)
	f.cache = append(f.cache, make([]byte, max(0, n-len(f.cache)))...)[:n]
}

func (f *memFile) Truncate(size int64) error {
	if err := f.d.op("truncate"); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resize(int(size))
	return nil
}

func (f *memFile) Sync() error {
	if f.d.block != nil {
		f.d.block()
	}
	err := f.d.op("sync")
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.disk = append(f.disk, make([]byte, max(0, len(f.cache)-len(f.disk)))...)[:len(f.cache)]
		copy(f.disk[f.from:], f.cache[f.from:])
	}
	f.from = len(f.cache)
	return err
}

func (f *memFile) Close() error { return nil }

func (f *memFile) Chmod(os.FileMode) error { return nil }

func (f *memFile) Stat() (os.FileInfo, error) { return memInfo(len(f.cache)), nil }

type memInfo int

func (i memInfo) Size() int64      { return int64(i) }
func (memInfo) Name() string       { return "" }
func (memInfo) Mode() fs.FileMode  { return 0 }
func (memInfo) ModTime() time.Time { return time.Time{} }
func (memInfo) IsDir() bool        { return false }
func (memInfo) Sys() any           { return nil }
