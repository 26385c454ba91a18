package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
)

// An Event is a part of a response: a JSON value.
type Event struct {
	Name string // of a stream's event, "" if it has none
	Data json.RawMessage
	Bare bool // it is the body, or a line of it, rather than an event of a stream

	object Object // that Data is, once it was looked at
}

// Object returns the object that the event is; nil: it is none.
func (e *Event) Object() Object {
	if e.object == nil {
		e.object = ObjectOf(e.Data)
	}
	return e.object
}

// Events returns the events of the response up to its end, or up to [DONE]. Comments, blank
// lines, events without data and texts that are no JSON are left out: see [Response.Words].
// An error ends the events: what is not JSON, [io.ErrUnexpectedEOF] for JSON that breaks
// off, or what reading the body failed with.
func (r *Response) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		p := &parser{r: r, yield: yield}
		lines := bufio.NewReader(r.body)
		for first := true; !p.ended; first = false {
			text, err := lines.ReadBytes('\n')
			if first {
				text = bytes.TrimPrefix(text, []byte("\uFEFF"))
			}
			if err != nil && !errors.Is(err, io.EOF) {
				p.fail(err)
				return
			}
			if len(text) > 0 {
				for line := range bytes.SplitSeq(bytes.TrimRight(text, "\r\n"), []byte("\r")) {
					p.line(line)
				}
			}
			if err != nil {
				p.end = true
				p.flush()
				return
			}
		}
	}
}

// A parser finds the events in the lines of a body.
type parser struct {
	r     *Response
	yield func(Event, error) bool
	event Event  // that has begun
	end   bool   // of the body
	ended bool   // nothing more is yielded
	bare  []byte // lines that are no part of an event
}

// line reads one line. A value on one line is an event even if no blank line follows.
func (p *parser) line(line []byte) {
	text := bytes.TrimSpace(line)
	name, value, _ := bytes.Cut(text, []byte(":"))
	switch field := string(name); {
	case p.ended:
	case len(text) == 0 && p.bare == nil:
		p.flush()
	case field == "data" || field == "error":
		for bytes.HasPrefix(bytes.TrimSpace(value), []byte("data:")) { // some gateways say it twice
			value = bytes.TrimSpace(value)[len("data:"):]
		}
		if p.bare != nil || isWhole(p.event.Data) {
			p.flush()
		}
		if field == "error" {
			p.event.Name = field
		}
		p.event.Data = append(append(p.event.Data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
	case field == "event":
		p.flush()
		p.event.Name = string(bytes.TrimSpace(value))
	case p.bare == nil && (field == "" || field == "id" || field == "retry"): // a comment, or of no use
	case p.bare == nil && text[0] == '{' && json.Valid(text):
		p.flush()
		p.event = Event{Name: p.event.Name, Data: bytes.Clone(text), Bare: true}
		p.flush()
	default:
		p.bare = append(append(p.bare, line...), '\n')
	}
}

// flush yields the event that has begun.
func (p *parser) flush() {
	e := p.event
	p.event = Event{}
	if p.bare != nil {
		e, p.bare = Event{Data: p.bare, Bare: true}, nil
	}
	e.Data = bytes.TrimSpace(e.Data)
	switch {
	case p.ended || len(e.Data) == 0:
	case isDone(e.Data):
		p.ended = true
	default:
		p.one(e)
	}
}

// isWhole reports whether data does not go on with the next line: it is a value, or words.
func isWhole(data []byte) bool {
	return len(data) > 0 && (data[0] != '{' && data[0] != '[' || json.Valid(data) || isDone(data))
}

func isDone(text []byte) bool {
	return strings.EqualFold(strings.Trim(string(text), "\" \n[]"), "done")
}

// one yields an event if it is JSON, which it has to be if it begins as an object. Several
// values, and the elements of a list, are events of their own.
func (p *parser) one(e Event) {
	var all []json.RawMessage
	begin := e.Data[0]
	switch {
	case p.end && bytes.HasPrefix([]byte("[DONE]"), e.Data):
	case begin == '[' && json.Unmarshal(e.Data, &all) == nil:
		for _, one := range all {
			p.one(Event{Name: e.Name, Data: one, Bare: e.Bare})
		}
	case e.Object() != nil || json.Valid(e.Data):
		p.ended = p.ended || !p.yield(e, nil)
	case begin == '{' || begin == '[':
		p.values(e)
	case e.Name == "error":
		e.Data, _ = json.Marshal(string(e.Data))
		p.one(e)
	case len(p.r.stray) < 4<<10:
		p.r.stray = append(append(p.r.stray, e.Data...), '\n')
	}
}

// values yields the values that a text consists of.
func (p *parser) values(e Event) {
	text := mended(e.Data)
	for d := json.NewDecoder(bytes.NewReader(text)); !p.ended; {
		switch err := d.Decode(&e.Data); {
		case errors.Is(err, io.EOF):
			return
		case err != nil && p.end && errors.Is(err, io.ErrUnexpectedEOF):
			p.fail(io.ErrUnexpectedEOF)
		case err != nil:
			p.fail(fmt.Errorf("%w in %s", json.Unmarshal(text, new(any)), text[:min(len(text), 300)]))
		default:
			p.one(Event{Name: e.Name, Data: bytes.Clone(e.Data), Bare: e.Bare})
		}
	}
}

func (p *parser) fail(err error) {
	if !p.ended {
		p.yield(Event{}, err)
	}
	p.ended = true
}

// odd matches strings, and the numbers that are none.
var odd = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// control matches what a string of JSON has escaped.
var control = regexp.MustCompile(`[\x00-\x1F]`)

// mended returns a text whose numbers that JSON does not have are null, and whose control
// characters in strings are escaped: what Python writes.
func mended(text []byte) []byte {
	return odd.ReplaceAllFunc(text, func(part []byte) []byte {
		if part[0] != '"' {
			return []byte("null")
		}
		return control.ReplaceAllFunc(part, func(c []byte) []byte { return fmt.Appendf(nil, `\u%04x`, c[0]) })
	})
}

// Words returns what the server said beside the events, without the tags of a page.
func (r *Response) Words() string { return said(r.stray).Words }
