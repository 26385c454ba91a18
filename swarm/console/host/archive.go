package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/view"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// An archive is the journals in a directory that other programs wrote. The books of those
// that were read last are kept.
type archive struct {
	dir string

	mu    sync.Mutex // protects the fields below
	books map[string]*archived
	lists map[string]*archived // of journals whose solves were listed, without their books
}

// archived is the book of a journal as it was.
type archived struct {
	book  *view.Book
	list  []api.Solve
	size  int64
	stamp time.Time
	used  time.Time
}

// kept is how many books an archive keeps.
const kept = 4

func newArchive(dir string) *archive {
	return &archive{dir: dir, books: map[string]*archived{}, lists: map[string]*archived{}}
}

// path returns the file of a run. A name is never a path.
func (a *archive) path(run string) (string, error) {
	if events.CheckName("run", run) != nil || strings.Contains(run, ".") {
		return "", notFound("run", run)
	}
	path := filepath.Join(a.dir, run+runs.Suffix)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return "", notFound("run", run)
	}
	return path, err
}

// book returns the book of a journal as it is.
func (a *archive) book(run string) (*view.Book, error) { return a.look(run, read) }

// known returns the book of a journal as it is if it is kept, or nil.
func (a *archive) known(run string) (*view.Book, error) { return a.look(run, nil) }

// look returns the book of a journal if it is kept as it is, or what read returns, unless that is nil.
func (a *archive) look(run string, read func(run, path string) (*view.Book, error)) (*view.Book, error) {
	path, err := a.path(run)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if book := a.keptLocked(run, info); book != nil || read == nil {
		return book, nil
	}
	book, err := read(run, path)
	if err != nil {
		return nil, err
	}
	if len(a.books) >= kept {
		a.forget()
	}
	a.books[run] = &archived{book: book, size: info.Size(), stamp: info.ModTime(), used: time.Now()}
	return book, nil
}

// solves returns the solves of a journal as it is. One that was not listed before, or has changed, is read if it fits
// into what is left, which it then takes from.
func (a *archive) solves(run string, left *int64) ([]api.Solve, error) {
	path, err := a.path(run)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	of := a.lists[run]
	a.mu.Unlock()
	if !of.is(info) {
		if info.Size() > *left {
			return nil, nil
		}
		*left -= info.Size()
		book, err := read(run, path)
		if err != nil {
			return nil, err
		}
		of = &archived{list: book.Solves(), size: info.Size(), stamp: info.ModTime()}
		a.mu.Lock()
		a.lists[run] = of
		a.mu.Unlock()
	}
	return cut(path, slices.Clone(of.list)), nil
}

// cut marks solves of a journal as interrupted if no process works on them.
func cut(path string, all []api.Solve) []api.Solve {
	if _, held := journal.Locked(path); held {
		return all
	}
	for i := range all {
		if all[i].State == api.Running {
			all[i].State = api.Interrupted
		}
	}
	return all
}

// is reports whether a file is as it was read.
func (of *archived) is(now fs.FileInfo) bool {
	return of != nil && of.size == now.Size() && of.stamp.Equal(now.ModTime())
}

func (a *archive) keptLocked(run string, now fs.FileInfo) *view.Book {
	of := a.books[run]
	if !of.is(now) {
		return nil
	}
	of.used = time.Now()
	return of.book
}

// forget drops the book that was used least recently. Its users may keep it.
func (a *archive) forget() {
	oldest := ""
	for run, known := range a.books {
		if oldest == "" || known.used.Before(a.books[oldest].used) {
			oldest = run
		}
	}
	delete(a.books, oldest)
}

// read reads a journal.
func read(run, path string) (*view.Book, error) {
	from, err := journal.NewView(path)
	if err != nil {
		return nil, err
	}
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	l := &log{run: run}
	_, err = work.ReadFold(from, codec, l.watch)
	return l.shown, err
}
