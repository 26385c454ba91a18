package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A line is a record as JSON: a signal in its usual form, a result with its key
// if both are JSON, and other records as head and body in base64.
type line struct {
	Seq    uint64          `json:"seq,omitempty"`
	Type   Type            `json:"type,omitempty"`
	Time   *time.Time      `json:"time,omitempty"`
	Signal json.RawMessage `json:"signal,omitempty"` // of a signal, in place of head and body
	Call   json.RawMessage `json:"call,omitempty"`   // of a result, in place of the head
	Result json.RawMessage `json:"result,omitempty"` // and of the body
	Head   []byte          `json:"head,omitempty"`
	Body   []byte          `json:"body,omitempty"`

	Through uint64 `json:"through,omitempty"` // of the snapshot, which is the first line
	Chain   []byte `json:"chain,omitempty"`
	State   []byte `json:"state,omitempty"`
}

// Export writes a journal as JSON lines: the snapshot if there is one, then the
// records. [Import] makes the same journal from them.
func Export(w io.Writer, from Reader) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	snapshot, err := from.Snapshot()
	if err != nil {
		return err
	}
	if snapshot.Through > 0 {
		if err := out.Encode(line{Through: snapshot.Through, Chain: snapshot.Chain[:], State: snapshot.State}); err != nil {
			return err
		}
	}
	for r, err := range from.Read(snapshot.Through) {
		if err != nil {
			return err
		}
		if err := out.Encode(lineOf(&r)); err != nil {
			return err
		}
	}
	return nil
}

func lineOf(r *Record) line {
	l := line{Seq: r.Seq, Type: r.Type}
	if !r.Time.IsZero() {
		l.Time = &r.Time
	}
	switch {
	case r.Type == TypeSignal && compact(r.JSON()):
		l.Signal = r.JSON()
	case r.Type == TypeResult && compact(r.Head) && compact(r.Body) && string(r.Head) != "null" && string(r.Body) != "null":
		l.Call, l.Result = r.Head, r.Body
	default:
		l.Head, l.Body = r.Head, r.Body
	}
	return l
}

// compact reports whether encoding/json would write these bytes unchanged.
func compact(data []byte) bool {
	var b bytes.Buffer
	return json.Compact(&b, data) == nil && bytes.Equal(b.Bytes(), data)
}

// Import makes a journal at path from the output of [Export]: the same records
// with the same chain. There must be no file at path. After an error, which
// names the line, there is none either.
func Import(path string, from io.Reader) (err error) {
	if err := checkPath(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path)
		}
	}()
	in := importer{out: bufio.NewWriterSize(f, windowSize)}
	if err := in.lines(bufio.NewReader(from)); err != nil {
		return err
	}
	return errors.Join(in.out.Flush(), f.Sync(), osDisk{}.SyncDir(path))
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
	var l line
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&l); err != nil {
		return err
	}
	if in.enc == nil {
		in.begin(&l)
		if l.Through > 0 {
			return in.flush()
		}
	}
	r, err := l.record()
	if err == nil {
		err = checkRecords([]Record{r})
	}
	if err != nil {
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
	in.enc = newEncoder(newHeader(newSalt(), first.Through, hash(append(first.Chain, make([]byte, 32)...)[:32]), first.State))
	in.enc.buf = append(in.enc.head.encode(), first.State...)
}

func (l *line) record() (Record, error) {
	r := Record{Type: l.Type, Head: l.Head, Body: l.Body}
	if l.Time != nil {
		r.Time = *l.Time
	}
	if l.Call != nil || l.Result != nil {
		if l.Type != TypeResult || l.Call == nil || l.Result == nil {
			return r, &RecordError{"result", fmt.Sprintf("%.40q", l.Result), "not one with its call"}
		}
		r.Head, r.Body = l.Call, l.Result
	}
	if l.Signal != nil {
		at := bytes.Index(l.Signal, []byte(payloadMember))
		if at < 0 || l.Type != TypeSignal {
			return r, &RecordError{"signal", fmt.Sprintf("%.40q", l.Signal), "not one with a payload"}
		}
		r.Head, r.Body = splitSignal(l.Signal)
	}
	return r, nil
}
