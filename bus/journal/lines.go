package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A line is a record as JSON: a signal in its usual form, a result with its key
// if both are JSON, and what would not be read as it was as head and body in
// base64.
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
// records, until ctx ends. [Import] makes the same journal from them.
func Export(ctx context.Context, w io.Writer, from Reader) error {
	snapshot, err := from.Snapshot()
	if err != nil {
		return err
	}
	if snapshot.Through > 0 {
		l := line{Through: snapshot.Through, Chain: snapshot.Chain[:], State: snapshot.State}
		text, err := l.encode()
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	for r, err := range from.Read(snapshot.Through) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		text, err := lineOf(&r)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// lineOf returns a record as a line that is read as the same record: readable if
// that is possible.
func lineOf(r *Record) ([]byte, error) {
	l := line{Seq: r.Seq, Type: r.Type}
	if !r.Time.IsZero() {
		l.Time = &r.Time
	}
	readable := l
	switch r.Type {
	case TypeSignal:
		readable.Signal = r.JSON()
	case TypeResult:
		readable.Call, readable.Result = r.Head, r.Body
	}
	if text, err := readable.encode(); err == nil && utf8.Valid(text) {
		back, err := parseLine(text)
		if err == nil && bytes.Equal(back.Head, r.Head) && bytes.Equal(back.Body, r.Body) {
			return text, nil
		}
	}
	l.Head, l.Body = r.Head, r.Body
	return l.encode()
}

func (l *line) encode() ([]byte, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	err := out.Encode(l)
	return text.Bytes(), err
}

// parseLine decodes a line, and the head and body of its record.
func parseLine(text []byte) (l line, err error) {
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&l); err != nil {
		return l, err
	}
	if _, err := strict.Token(); !errors.Is(err, io.EOF) {
		return l, errors.New("there is more on the line than one value")
	}
	if err := checkMembers(text); err != nil {
		return l, err
	}
	if l.isSnapshot() {
		return l, l.checkSnapshot()
	}
	return l, l.split()
}

// checkMembers refuses JSON in which an object has two members of a name, of which
// readers would take one or the other. As encoding/json does, it ignores case.
func checkMembers(text []byte) error {
	type object struct {
		names map[string]bool // nil: an array
		value bool            // the next string is no name
	}
	var open []*object
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 {
			o := open[len(open)-1]
			if name, is := token.(string); is && o.names != nil && !o.value {
				key := strings.ToLower(strings.ToUpper(name))
				if o.names[key] {
					return &RecordError{"member", strconv.Quote(name), "given twice"}
				}
				o.names[key], o.value = true, true
				continue
			}
			o.value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &object{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, &object{})
		}
	}
}

func (l *line) isSnapshot() bool { return l.Through > 0 || l.Chain != nil || l.State != nil }

// checkSnapshot refuses a snapshot with anything that does not belong to it.
func (l *line) checkSnapshot() error {
	switch {
	case l.Through == 0 || l.Through > math.MaxInt64:
		return &RecordError{"snapshot", fmt.Sprint("through ", l.Through), "not the number of a record"}
	case len(l.Chain) != len(Chain{}):
		return &RecordError{"chain", fmt.Sprintf("%x", l.Chain), fmt.Sprintf("not of %d bytes", len(Chain{}))}
	case !reflect.DeepEqual(*l, line{Through: l.Through, Chain: l.Chain, State: l.State}):
		return &RecordError{"snapshot", fmt.Sprint("through ", l.Through), "on the line of a record"}
	}
	return nil
}

// split sets the head and body of a signal or a result.
func (l *line) split() error {
	raw, signal, result := l.Head != nil || l.Body != nil, l.Signal != nil, l.Call != nil || l.Result != nil
	switch {
	case signal && (raw || result) || result && raw:
		return &RecordError{"content", fmt.Sprint("of type ", l.Type), "more than one of a signal, a result, and a head and body"}
	case signal:
		if l.Type != TypeSignal || l.Signal[0] != '{' || !bytes.Contains(l.Signal, []byte(payloadMember)) {
			return &RecordError{"signal", fmt.Sprintf("%.40q", l.Signal), "not one with a payload"}
		}
		l.Head, l.Body = splitSignal(l.Signal)
	case result:
		if l.Type != TypeResult || l.Call == nil || l.Result == nil {
			return &RecordError{"result", fmt.Sprintf("%.40q", l.Result), "not one with its call"}
		}
		l.Head, l.Body = l.Call, l.Result
	}
	return nil
}
