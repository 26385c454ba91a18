package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// payloadMember ends the head of a signal's record. The text cannot occur
// inside a JSON string, where quotes are escaped, and no member of the header
// has that name, so its first occurrence is the signal's.
const payloadMember = `,"payload":`

// SignalRecord returns the record of a signal: as [signals.Marshal] writes it,
// the payload as the body, so that a large one is stored once.
func SignalRecord(s signals.Any) (Record, error) {
	data, err := signals.Marshal(s)
	if err != nil {
		return Record{}, err
	}
	head, body := splitSignal(data)
	return Record{Type: TypeSignal, Time: s.Head().Time, Head: head, Body: body}, nil
}

// recordOf is [SignalRecord], whatever the payload's methods do.
func recordOf(s signals.Any) (r Record, err error) {
	if isBuiltIn(s) {
		return SignalRecord(s)
	}
	err = guard(s, func() (err error) {
		r, err = SignalRecord(s)
		return unwritable(s, err)
	})
	return r, err
}

// guard calls f, which calls methods of the payload, and returns an error if one of them
// panics or ends its goroutine, which is therefore not the caller's.
func guard(s signals.Any, f func() error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if p := recover(); p != nil {
				err = unreadable(s, fmt.Sprintf("cannot be written as JSON: panic: %v", p))
			} else if !returned {
				err = unreadable(s, "cannot be written as JSON: it ends the goroutine")
			}
		}()
		err = f()
		returned = true
	}()
	<-done
	return err
}

func unwritable(s signals.Any, err error) error {
	if err == nil || errors.Is(err, signals.ErrInvalid) {
		return err
	}
	return unreadable(s, fmt.Sprintf("cannot be written as JSON: %v", err))
}

func unreadable(s signals.Any, problem string) error {
	return &signals.FieldError{Kind: s.Kind(), Field: "payload", Value: fmt.Sprintf("%T", s.Body()), Problem: problem}
}

// checkSignal refuses what could not be written or read back with a codec.
func checkSignal(s signals.Any, c *signals.Codec) error {
	c = cmp.Or(c, new(signals.Codec))
	if err := c.Limits.Validate(s); err != nil || isBuiltIn(s) {
		return err
	}
	return guard(s, func() error {
		r, err := SignalRecord(s)
		if err != nil {
			return unwritable(s, err)
		}
		if _, err := c.Unmarshal(r.JSON()); err != nil {
			return unreadable(s, fmt.Sprintf("cannot be read back: %v", err))
		}
		return nil
	})
}

// isBuiltIn reports whether a payload is of a type of package signals, which can be
// written and read if it is valid.
func isBuiltIn(s signals.Any) bool {
	switch s.(type) {
	case *signals.Signal[signals.Task], *signals.Signal[signals.Discovery], *signals.Signal[signals.Proposal],
		*signals.Signal[signals.Doubt], *signals.Signal[signals.Challenge], *signals.Signal[signals.Vote],
		*signals.Signal[signals.Conflict], *signals.Signal[signals.Consensus], *signals.Signal[signals.Escalation],
		*signals.Signal[signals.Memory], *signals.Signal[signals.ToolResult]:
		return true
	}
	return false
}

// KindUnwritten is the kind of the record of a signal that could not be written,
// though it could when it was published. The record has the header of the signal, and
// as payload its kind and the problem.
const KindUnwritten signals.Kind = "journal:unwritten"

func unwritten(s signals.Any, why error) signals.Any {
	text, err := json.Marshal(map[string]string{"kind": string(s.Kind()), "problem": why.Error()})
	if err != nil {
		panic(err) // texts can be written
	}
	return signals.New(s.Head(), signals.Raw{Type: KindUnwritten, JSON: string(text)})
}

// splitSignal splits the output of [signals.Marshal] before the payload,
// without the last brace.
func splitSignal(data []byte) (head, body []byte) {
	end := bytes.Index(data, []byte(payloadMember)) + len(payloadMember)
	return data[:end], data[end : len(data)-1]
}

// JSON returns the signal of a record as [signals.Marshal] wrote it.
func (r *Record) JSON() []byte {
	all := make([]byte, 0, len(r.Head)+len(r.Body)+1)
	return append(append(append(all, r.Head...), r.Body...), '}')
}

// About returns the kind and the thread of the signal of a record, at a fraction of
// the cost of decoding it.
func (r *Record) About() (kind signals.Kind, thread string, err error) {
	if r.Type != TypeSignal {
		return "", "", &RecordError{"type", fmt.Sprint(r.Type), "not that of a signal"}
	}
	var about struct {
		Type   signals.Kind `json:"type"`
		Thread string       `json:"thread"`
	}
	if err := json.Unmarshal(slices.Concat(r.Head, []byte("0}")), &about); err != nil {
		return "", "", fmt.Errorf("journal: record %d: %w", r.Seq, err)
	}
	return about.Type, about.Thread, nil
}

// Signal decodes the signal of a record. A nil codec knows the built-in kinds.
func (r *Record) Signal(c *signals.Codec) (signals.Any, error) {
	if r.Type != TypeSignal {
		return nil, &RecordError{"type", fmt.Sprint(r.Type), "not that of a signal"}
	}
	c = cmp.Or(c, new(signals.Codec))
	s, err := c.Unmarshal(r.JSON())
	if err != nil {
		return nil, fmt.Errorf("journal: record %d: %w", r.Seq, err)
	}
	return s, nil
}
