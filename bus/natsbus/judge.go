package natsbus

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

// Reasons why a message of the stream is not in the log.
const (
	Malformed = "malformed" // it is no event of a signal
	Duplicate = "duplicate" // the log has a signal with one of its ids
	Forged    = "forged"    // its subject has another source, or no key that may speak for its source signed it
	Early     = "early"     // its time is ahead of the servers' clocks
	Fenced    = "fenced"    // it was sent under a lease that somebody else has taken over
	Refused   = "refused"   // the bus refuses it: its proposal id belongs to another, for example
	Fence     = "fence"     // it only says who holds a lease; not an error
)

// A DeadLetter is a message of the stream that is not in the log. All processes agree on
// it, unless their [Options].Keys differ. A forged result is one of the stream of [Results].
type DeadLetter struct {
	Seq     uint64 // in the stream
	Subject string
	Process string // that says it sent it
	Reason  string
	Err     error
}

func (d *DeadLetter) Error() string {
	return fmt.Sprintf("natsbus: message %d to %s by %s is %s: %v", d.Seq, d.Subject, cmp.Or(d.Process, "an unnamed process"), d.Reason, d.Err)
}

// Unwrap returns Err.
func (d *DeadLetter) Unwrap() error { return d.Err }

// A judge decides which messages are in the log, by the messages alone.
type judge struct {
	codec    cloudevents.Codec
	reserved reserved
	keys     keyring
	seen     *window
	fences   map[string]uint64 // the token of each lease
	dead     *graveyard
}

func newJudge(o *Options) judge {
	return judge{cloudevents.Codec{Signals: o.Codec}, o.Reserved, o.Keys, newWindow(o.Remember), map[string]uint64{}, &graveyard{tell: o.dead, by: map[string]uint64{}}}
}

// maxAhead is how far the time of a signal may be ahead of the servers' clocks.
const maxAhead = 2 * time.Minute

// signals returns the signals of a message, which came in an envelope with a subject or
// alone, or why it is not in the log.
func (j *judge) signals(m *message, envelope string) ([]signals.Any, *DeadLetter) {
	if m.header.Get(headerRaise) != "" {
		return nil, j.raise(m, envelope)
	}
	refuse := func(reason string, err error) *DeadLetter { return &DeadLetter{Seq: m.seq, Reason: reason, Err: err} }
	all, err := m.decode(j.codec)
	if err == nil {
		err = complete(m, all)
	}
	if err != nil {
		return nil, refuse(Malformed, err)
	}
	if err := j.genuine(m, subjectOf(m.prefix(), all, j.reserved), envelope, j.reserved.speakers(all)); err != nil {
		return nil, refuse(Forged, err)
	}
	if err := j.fenced(m); err != nil {
		return nil, refuse(Fenced, err)
	}
	for _, s := range all {
		h := s.Head()
		if h.Time.After(m.stored.Add(maxAhead)) {
			return nil, refuse(Early, fmt.Errorf("signal time %v is ahead of the server's %v", h.Time, m.stored))
		}
	}
	if id := j.seen.first(all); !id.IsZero() {
		return nil, refuse(Duplicate, fmt.Errorf("%w: %s", bus.ErrDuplicate, id))
	}
	j.seen.add(all)
	return all, nil
}

// complete checks that signals have what a log gives to them, and no id that only it may
// give.
func complete(m *message, all []signals.Any) error {
	if id := all[0].Head().ID.String(); m.header[headerID] != nil && m.header.Get(headerID) != id {
		return fmt.Errorf("message id is %q, want %s, or none", m.header.Get(headerID), id)
	}
	if uint64(2*len(all)) > m.room {
		return fmt.Errorf("%d signals in an envelope with room for %d", len(all), m.room/2)
	}
	for _, s := range all {
		h := s.Head()
		if h.Source == "" || h.Time.IsZero() {
			return errors.New("signal without a source or a time")
		}
		if strings.HasPrefix(h.ID.String(), conflict.IDPrefix) {
			return fmt.Errorf("id %s is reserved for conflicts", h.ID)
		}
	}
	return nil
}

// genuine checks that a message is where it belongs, so that permissions for subjects hold,
// and that a key of each of its speakers signed it.
func (j *judge) genuine(m *message, want, envelope string, sources []string) error {
	if m.subject != want {
		return fmt.Errorf("subject is %s, want %s", m.subject, want)
	}
	if !covers(envelope, m.subject) {
		return fmt.Errorf("subject is %s, in an envelope to %s", m.subject, envelope)
	}
	return j.keys.signed(m, sources...)
}

var errFence = errors.New("message raises a fence")

// raise judges a fence: a message of the system that says who holds a lease from here on.
// The token of the lease is the fence's own number in the stream, so that it only grows,
// whatever a fence says and whatever became of the bucket. A fence names the token that it
// follows: of several that follow the same one, the first counts.
func (j *judge) raise(m *message, envelope string) *DeadLetter {
	refuse := func(reason string, err error) *DeadLetter { return &DeadLetter{Seq: m.seq, Reason: reason, Err: err} }
	before, name, err := parseFence(m.header.Get(headerRaise))
	if err != nil {
		return refuse(Malformed, err)
	}
	if err := j.genuine(m, fenceSubject(m.prefix()), envelope, []string{bus.System}); err != nil {
		return refuse(Forged, err)
	}
	if token := j.fences[name]; token != before {
		return refuse(Fenced, fmt.Errorf("lease %s: fence follows token %d, want %d", name, before, token))
	}
	j.fences[name] = m.seq
	return refuse(Fence, errFence)
}

// fenced says why a message was sent too late, if it was sent under a lease.
func (j *judge) fenced(m *message) error {
	under := m.header.Get(headerFence)
	if under == "" {
		return nil
	}
	token, name, err := parseFence(under)
	if err == nil && token < j.fences[name] {
		err = fmt.Errorf("lease %s: token %d is older than %d", name, token, j.fences[name])
	}
	return err
}

// fenceText is a token of a lease in a header; that before the first one is 0.
func fenceText(token uint64, name string) string { return fmt.Sprintf("%d %s", token, name) }

func parseFence(text string) (token uint64, name string, err error) {
	digits, name, ok := strings.Cut(text, " ")
	token, err = strconv.ParseUint(digits, 10, 64)
	if err != nil || !ok || name == "" {
		return 0, "", fmt.Errorf("%q is not a token and a name", text)
	}
	return token, name, nil
}

// A window has the ids of the newest messages.
type window struct {
	ids  map[signals.ID]bool
	ring [][]signals.ID
	at   int
}

func newWindow(size int) *window {
	return &window{ids: map[signals.ID]bool{}, ring: make([][]signals.ID, size)}
}

// first returns the first id of the signals that the window has, or that two of them have.
func (w *window) first(all []signals.Any) signals.ID {
	for i, s := range all {
		id := s.Head().ID
		if w.ids[id] {
			return id
		}
		for _, earlier := range all[:i] {
			if earlier.Head().ID == id {
				return id
			}
		}
	}
	return signals.ID{}
}

func (w *window) add(all []signals.Any) {
	ids := make([]signals.ID, len(all))
	for i, s := range all {
		ids[i] = s.Head().ID
	}
	w.addIDs(ids)
}

func (w *window) addIDs(ids []signals.ID) {
	for _, old := range w.ring[w.at] {
		delete(w.ids, old)
	}
	for _, id := range ids {
		w.ids[id] = true
	}
	w.ring[w.at] = ids
	w.at = (w.at + 1) % len(w.ring)
}

// all returns the ids, those of the oldest message first.
func (w *window) all() (all [][]signals.ID) {
	for i := range w.ring {
		if ids := w.ring[(w.at+i)%len(w.ring)]; len(ids) > 0 {
			all = append(all, ids)
		}
	}
	return all
}

// A graveyard counts dead letters.
type graveyard struct {
	tell func(DeadLetter)
	mu   sync.Mutex // protects the field below
	by   map[string]uint64
}

// add counts a dead letter; nil is none.
func (g *graveyard) add(m *message, d *DeadLetter) {
	if d == nil || d.Reason == Fence {
		return
	}
	d.Subject, d.Process = m.subject, m.header.Get(headerProcess)
	g.mu.Lock()
	g.by[d.Reason]++
	g.mu.Unlock()
	g.tell(*d)
}

func (g *graveyard) counts() map[string]uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.by)
}
