package natsbus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// An envelope has several messages, each as it would have been sent alone, and is judged
// message by message. Its data are texts, each after its length as a uvarint: of each
// message the subject, the number of headers, names and values of the headers, and the data.

const headerEnvelope = "Swarmbus-Envelope" // the number of messages

// slot is the number of sequence numbers from one message of an envelope to the next, for
// its signals and the conflicts that they open.
const slot = 1 << batchBits / 2 / most

// maxEnvelope is the most signals in an envelope that this process sends: with as many
// conflicts, behind the places of its messages, they have numbers enough.
const maxEnvelope = maxBatch / 2

// envelope returns a message with messages in it. It has no id, because it is not sent again.
func envelope(letters []*letter) *nats.Msg {
	put := func(to []byte, text string) []byte {
		return append(binary.AppendUvarint(to, uint64(len(text))), text...)
	}
	size := 0
	for _, p := range letters {
		size += p.size + 64
	}
	data, subject := make([]byte, 0, size), letters[0].Subject
	for _, p := range letters {
		data = binary.AppendUvarint(put(data, p.Subject), uint64(len(p.Header)))
		for name, values := range p.Header {
			data = put(put(data, name), values[0])
		}
		data = append(binary.AppendUvarint(data, uint64(len(p.Data))), p.Data...)
		subject = common(subject, p.Subject)
	}
	return &nats.Msg{Subject: subject, Header: nats.Header{headerEnvelope: {fmt.Sprint(len(letters))}}, Data: data}
}

// common returns the subject of an envelope that has messages of two subjects.
func common(a, b string) string {
	if a == b {
		return a
	}
	of, and := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(of), len(and)) {
		if of[i] != and[i] {
			of[i] = mixed
		}
	}
	return strings.Join(of, ".")
}

// covers reports whether a message may be in an envelope with a subject, so that who may
// publish the envelope may publish the message.
func covers(subject, of string) bool { return common(subject, of) == subject }

var errEnvelope = errors.New("natsbus: not an envelope of messages")

// unpack returns the messages of an envelope, or the message itself if it is none.
func (m *message) unpack() (all []*message, err error) {
	if m.header[headerEnvelope] == nil {
		return []*message{m}, nil
	}
	r := unpacker{string(m.data), nil}
	for len(r.rest) > 0 && len(all) < most {
		one := &message{seq: m.seq, stored: m.stored, subject: r.text()}
		one.header = r.header()
		one.data = []byte(r.text())
		all = append(all, one)
	}
	if r.err != nil || len(r.rest) > 0 || len(all) == 0 {
		return nil, errEnvelope
	}
	return all, nil
}

// An unpacker reads texts until one is not whole.
type unpacker struct {
	rest string
	err  error
}

func (r *unpacker) number() int {
	n, shift := uint64(0), 0
	for i := range min(len(r.rest), 4) {
		c := r.rest[i]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			r.rest = r.rest[i+1:]
			return int(n)
		}
		shift += 7
	}
	r.rest, r.err = "", errEnvelope
	return 0
}

func (r *unpacker) text() string {
	n := r.number()
	if n > len(r.rest) {
		r.rest, r.err = "", errEnvelope
		return ""
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

// mostHeaders is more than the headers of a message are.
const mostHeaders = 64

func (r *unpacker) header() nats.Header {
	n := r.number()
	if n > mostHeaders {
		r.rest, r.err = "", errEnvelope
		return nil
	}
	h, values := make(nats.Header, n), make([]string, n) // one allocation for all
	for i := range n {
		name := r.text()
		values[i] = r.text()
		h[name] = values[i : i+1 : i+1]
	}
	return h
}
