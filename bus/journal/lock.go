package journal

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A Holder describes the process that has a journal open for writing.
type Holder struct {
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Program string    `json:"program"`
	Since   time.Time `json:"since"`
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d (%s) on %s, since %s", h.PID, h.Program, h.Host, h.Since.Format(time.RFC3339))
}

// A LockError is returned if another process has a journal open for writing.
type LockError struct {
	Path   string
	Holder Holder // zero: unknown
}

func (e *LockError) Error() string {
	return fmt.Sprintf("journal: %s is open for writing in %v", e.Path, e.Holder)
}

// A fileLock is an operating system lock on a file next to the journal. It is
// released when the process ends, in whatever way. The file names its holder
// and is never removed, because a process that removes it might remove
// another's lock.
type fileLock struct{ f *os.File }

// Lock locks a file until the returned value is closed or the process ends, in whatever way. It waits for a moment, and returns a
// [*LockError] if another process has it, as [Open] does of a journal, which locks it for writing.
func Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := fileLock{f}
	taken, err := tryLock(f)
	for tries := 0; taken && err == nil && tries < 3; tries++ {
		time.Sleep(10 * time.Millisecond) // [Locked] may hold it for a moment
		taken, err = tryLock(f)
	}
	if taken || err != nil {
		holder := l.holder()
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("journal: locking %s: %w", path, err)
		}
		return nil, &LockError{path, holder}
	}
	if err := l.sign(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

func (l fileLock) sign() error {
	host, _ := os.Hostname()
	me, err := json.Marshal(Holder{host, os.Getpid(), filepath.Base(os.Args[0]), time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err = l.f.WriteAt(me, 0)
	return err
}

// holder returns zero if the holder has not written its name yet.
func (l fileLock) holder() (h Holder) {
	data, err := io.ReadAll(io.LimitReader(l.f, 1<<12))
	if err != nil || json.Unmarshal(data, &h) != nil {
		return Holder{}
	}
	return h
}

// Close removes the name and releases the lock.
func (l fileLock) Close() error {
	_ = l.f.Truncate(0)
	return l.f.Close()
}

// Locked returns the process that has the journal at path open for writing, and
// whether there is one.
func Locked(path string) (Holder, bool) {
	path, err := osDisk{}.Resolve(path)
	if err != nil {
		return Holder{}, false
	}
	f, err := os.Open(path + lockSuffix)
	if err != nil {
		return Holder{}, false
	}
	defer f.Close() //nolint:errcheck // opened for reading only; releases what tryLock took
	taken, err := tryLock(f)
	return fileLock{f}.holder(), taken && err == nil
}
