package journal

import (
	"bytes"
	"fmt"

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
	return Record{Type: TypeSignal, Time: signals.HeadOf(s).Time, Head: head, Body: body}, nil
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

// Signal decodes the signal of a record. A nil codec knows the built-in kinds.
func (r *Record) Signal(c *signals.Codec) (signals.Any, error) {
	if r.Type != TypeSignal {
		return nil, &RecordError{"type", fmt.Sprint(r.Type), "not that of a signal"}
	}
	if c == nil {
		c = new(signals.Codec)
	}
	s, err := c.Unmarshal(r.JSON())
	if err != nil {
		return nil, fmt.Errorf("journal: record %d: %w", r.Seq, err)
	}
	return s, nil
}
