package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Import makes a journal at path from the output of [Export]: the same records
// with the same chain. There must be no file at path, and no other process may be
// making one ([*LockError]). After an error, which names the line, or a crash,
// there is none either.
func Import(path string, from io.Reader) error { return importOn(osDisk{}, path, from) }

func importOn(d disk, path string, from io.Reader) (err error) {
	if path, err = d.Resolve(path); err != nil {
		return err
	}
	if err := checkPath(path); err != nil {
		return err
	}
	lock, err := d.Lock(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if there, err := d.Open(path, false); err == nil {
		return errors.Join(&fs.PathError{Op: "import", Path: path, Err: fs.ErrExist}, there.Close())
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := d.Open(path+rewriteSuffix, true)
	if err != nil {
		return err
	}
	err = importTo(f, from)
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.Rename(path+rewriteSuffix, path)
	}
	if err != nil {
		return errors.Join(err, d.Remove(path+rewriteSuffix))
	}
	if err := d.SyncDir(path); err != nil {
		return errors.Join(err, d.Remove(path))
	}
	return nil
}

// importTo writes a journal into a file, which may be left over.
func importTo(f file, from io.Reader) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	in := importer{out: bufio.NewWriterSize(&offsetWriter{f, 0}, windowSize)}
	if err := in.lines(bufio.NewReader(from)); err != nil {
		return err
	}
	if err := in.out.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

type importer struct {
	out *bufio.Writer
	enc *encoder // nil before the first line
}

func (in *importer) lines(from *bufio.Reader) error {
	for n := 1; ; n++ {
		text, end := from.ReadBytes('\n')
		if end != nil && !errors.Is(end, io.EOF) {
			return end
		}
		if len(bytes.TrimSpace(text)) > 0 {
			if err := in.line(text); err != nil {
				return fmt.Errorf("journal: line %d: %w", n, err)
			}
		}
		if end == nil {
			continue
		}
		if in.enc == nil {
			return errors.New("journal: there is nothing to import")
		}
		in.enc.seal()
		return in.flush()
	}
}

func (in *importer) line(text []byte) error {
	l, err := parseLine(text)
	if err != nil {
		return err
	}
	if in.enc == nil {
		in.begin(&l)
		if l.isSnapshot() {
			return in.flush()
		}
	}
	if l.isSnapshot() {
		return &RecordError{"snapshot", fmt.Sprint("through ", l.Through), "not on the first line"}
	}
	r := Record{Type: l.Type, Head: l.Head, Body: l.Body}
	if l.Time != nil {
		r.Time = *l.Time
	}
	if err := checkRecords([]Record{r}); err != nil {
		return err
	}
	if want := in.enc.seq + 1; l.Seq != want {
		return &RecordError{"sequence", fmt.Sprint(l.Seq), fmt.Sprintf("not %d", want)}
	}
	in.enc.add(&r)
	return in.flush()
}

func (in *importer) flush() error {
	_, err := in.out.Write(in.enc.buf)
	in.enc.buf = in.enc.buf[:0]
	return err
}

// begin starts the journal, with the snapshot if the first line is one.
func (in *importer) begin(first *line) {
	var dropped hash
	copy(dropped[:], first.Chain)
	in.enc = newEncoder(newHeader(newSalt(), first.Through, dropped, first.State))
	in.enc.buf = append(in.enc.head.encode(), first.State...)
}
