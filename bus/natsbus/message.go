package natsbus

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

// Headers of a message beside those of CloudEvents.
const (
	headerID      = nats.MsgIdHdr          // the id of the first signal
	headerType    = "Content-Type"         // of events in JSON; other programs may write it in lower case
	headerFence   = "Swarmbus-Fence"       // token and name of the lease under which it was sent
	headerRaise   = "Swarmbus-Fence-Raise" // no signals: it follows the lease with that token and name
	headerSign    = "Swarmbus-Signature"
	headerProcess = "Swarmbus-Process"
)

// A message of the stream has one signal in binary or structured mode, or several in batched mode.
type message struct {
	seq     uint64    // in the stream
	stored  time.Time // by the servers' clocks
	subject string
	header  nats.Header
	data    []byte
	room    uint64 // numbers that are left to its signals, and to as many conflicts
}

// rawMessage returns a message as the stream has it.
func rawMessage(m *jetstream.RawStreamMsg) *message {
	return &message{seq: m.Sequence, stored: m.Time, subject: m.Subject, header: m.Header, data: m.Data}
}

// batchBits are the low bits of a sequence number, which number the signals of a message
// and the signals of the conflicts that they open.
const batchBits = 12

// maxBatch leaves as many numbers to conflicts as to signals.
const maxBatch = 1 << (batchBits - 1)

func firstOf(streamSeq uint64) uint64 { return streamSeq << batchBits }

// StreamSequence returns the sequence number in the stream of the message that has, or
// led to, the signal with a sequence number of the log.
func StreamSequence(seq uint64) uint64 { return seq >> batchBits }

// encode returns the message of signals.
func encode(prefix string, all []signals.Any, r reserved) (*nats.Msg, error) {
	m := &nats.Msg{Subject: subjectOf(prefix, all, r)}
	if len(all) == 1 {
		header, data, err := cloudevents.Binary(all[0])
		m.Header, m.Data = header, data
		m.Header.Set(headerID, all[0].Head().ID.String())
		return m, err
	}
	data, err := cloudevents.Batch(all)
	m.Header, m.Data = nats.Header{headerType: {cloudevents.BatchType}}, data
	m.Header.Set(headerID, all[0].Head().ID.String())
	return m, err
}

// decode returns the signals of a message. Their sequence numbers are not those of the log.
func (m *message) decode(c cloudevents.Codec) (all []signals.Any, err error) {
	mode, _, _ := strings.Cut(cmp.Or(m.header.Get(headerType), m.header.Get(strings.ToLower(headerType))), ";")
	switch mode = strings.ToLower(strings.TrimSpace(mode)); {
	case mode == cloudevents.BatchType:
		all, err = c.ReadBatch(m.data)
	case mode == cloudevents.StructuredType:
		all = make([]signals.Any, 1)
		all[0], err = c.ReadStructured(m.data)
	case strings.HasPrefix(mode, "application/cloudevents"):
		err = fmt.Errorf("natsbus: events of type %s are not read: only %s and %s", mode, cloudevents.StructuredType, cloudevents.BatchType)
	default:
		all = make([]signals.Any, 1)
		all[0], err = c.ReadBinary(m.header, m.data)
	}
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0 || len(all) > maxBatch:
		return nil, fmt.Errorf("natsbus: %d signals in a message, not from 1 to %d", len(all), maxBatch)
	}
	return all, nil
}

// number gives signals consecutive sequence numbers.
func number(all []signals.Any, first uint64) {
	for i, s := range all {
		h := s.Head()
		h.Seq = first + uint64(i)
		all[i] = signals.With(s, h)
	}
}

// thread returns the thread of a message as a token of its subject.
func (p *letter) thread() string {
	_, rest, _ := strings.Cut(p.Subject, ".log.")
	thread, _, _ := strings.Cut(rest, ".")
	return thread
}

// subjectOf returns the subject of signals: prefix, thread, kind and source, so that servers
// can filter and permissions apply. Where the signals of a batch differ the subject has
// mixed, and a batch has mixed as its kind. Reserved kinds have the system as source.
func subjectOf(prefix string, all []signals.Any, r reserved) string {
	thread, kind, source := token(all[0].Head().Thread), token(string(all[0].Kind())), mixed
	if names := r.speakers(all); len(names) == 1 {
		source = token(names[0])
	}
	if len(all) > 1 {
		kind = mixed
	}
	for _, s := range all[1:] {
		if s.Head().Thread != all[0].Head().Thread {
			thread = mixed
		}
	}
	return prefix + "." + thread + "." + kind + "." + source
}

// prefix returns the prefix of a message's subject: the name of the stream and ".log".
func (m *message) prefix() string {
	stream, _, _ := strings.Cut(m.subject, ".log.")
	return stream + ".log"
}

// fenceSubject returns the subject of fences: they are the system's, in no thread and of no kind.
func fenceSubject(prefix string) string { return prefix + "." + mixed + "." + mixed + "." + bus.System }

// mixed is a token that no name has.
const mixed = "%%"

// token escapes a name as a token of a subject; that of "" is "%".
func token(name string) string {
	plain := 0
	for plain < len(name) && inToken(name[plain]) {
		plain++
	}
	switch {
	case name == "":
		return "%"
	case plain == len(name):
		return name
	}
	b := []byte(name[:plain])
	for _, c := range []byte(name[plain:]) {
		if inToken(c) {
			b = append(b, c)
		} else {
			b = fmt.Appendf(b, "%%%02X", c)
		}
	}
	return string(b)
}

// inToken reports whether a byte stands for itself in a token.
func inToken(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_:/@+=", c) >= 0
}

// Subject returns the subject of the signals of a source with a kind in a thread, for
// consumers and permissions of NATS; "*" stands for all. Several signals that were
// published at once have the kind "%%", and "%%" where their threads or sources differ. Those
// with a kind of [Options].Reserved have the source [bus.System].
// Stream is the name of the log.
func Subject(stream, thread, kind, source string) string {
	escape := func(name string) string {
		if name == "*" || name == mixed {
			return name
		}
		return token(name)
	}
	return stream + ".log." + escape(thread) + "." + escape(kind) + "." + escape(source)
}
