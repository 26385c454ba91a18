package events

import (
	"crypto/ed25519"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// Flaw is the defect of an event.
type Flaw uint8

// The flaws.
const (
	Altered  Flaw = 1 + iota // its id is not the hash of its content
	Forged                   // its signature is not by the key of its source, or its source may not be one of such events
	Replayed                 // it is in the log a second time
	Swapped                  // the event that it follows comes later in the log
	Removed                  // the event that it follows is not in the log
	Missing                  // the pinned event is not in the log
	Strange                  // the key of the process is not the pinned one
)

var flaws = signals.NewEnum[Flaw]("flaw", "altered", "forged", "replayed", "swapped", "removed", "missing", "strange")

// String returns the flaw in one word.
func (f Flaw) String() string { return flaws.String(f) }

// A Fault is the first event of a room that fails verification. That event and all later
// ones of the room prove nothing.
type Fault struct {
	Flaw    Flaw
	Room    string
	Event   Event // zero for [Missing]
	Number  int   // of the event in its room, from 1; 0 for [Missing]
	Problem string
}

func (f *Fault) Error() string {
	if f.Number == 0 {
		return fmt.Sprintf("events: room %q: %v: %s", f.Room, f.Flaw, f.Problem)
	}
	return fmt.Sprintf("events: room %q: event %d (%s %s from %s, position %d) is %v: %s; from there on the room proves nothing",
		f.Room, f.Number, f.Event.Body.Type(), short(f.Event.ID), f.Event.From, f.Event.Seq, f.Flaw, f.Problem)
}

// Verified is the result of [Verify] for one room.
type Verified struct {
	Room   string // "" for the keys
	Events int    // up to the fault
	Head   string // id of the last of them
	Fault  *Fault // nil: none
}

// Pins are known ids and keys from outside the log. The zero value has none.
type Pins struct {
	Heads   map[string]string // by room: the id of an event that the room must have
	Process string            // the first public key of the process, in base64
}

// Verify checks the events of a log and returns its findings, for the keys first and then
// for the rooms in order of their names. The error is that of the log, or nil.
func Verify(log iter.Seq2[Event, error], pins Pins) ([]Verified, error) {
	v := verifier{keys: map[string]ed25519.PublicKey{}, rooms: map[string]*chain{}, process: pins.Process}
	for e, err := range log {
		if err != nil {
			return nil, err
		}
		v.check(e)
	}
	for room := range pins.Heads {
		v.room(room)
	}
	var all []Verified
	for _, room := range slices.Sorted(maps.Keys(v.rooms)) {
		pin, pinned := pins.Heads[room]
		all = append(all, v.rooms[room].verified(room, pin, pinned))
	}
	return all, nil
}

// A verifier is a fold of the events of a log.
type verifier struct {
	keys    map[string]ed25519.PublicKey // with which agents sign by now
	rooms   map[string]*chain
	process string
}

// A chain is the state of verification of one room.
type chain struct {
	good  int // events before the fault
	head  string
	fault *Fault
	place map[string]int // of all ids, behind the fault too
	n     int
}

func (v *verifier) room(name string) *chain {
	if v.rooms[name] == nil {
		v.rooms[name] = &chain{place: map[string]int{}}
	}
	return v.rooms[name]
}

func (v *verifier) check(e Event) {
	c := v.room(e.Room)
	c.n++
	if c.fault == nil {
		if flaw, problem := v.flaw(c, e); flaw != 0 {
			c.fault = &Fault{flaw, e.Room, e, c.n, problem}
		} else {
			c.good, c.head = c.n, e.ID
			v.learn(e)
		}
	}
	if _, known := c.place[e.ID]; !known {
		c.place[e.ID] = c.n
	}
}

func (v *verifier) flaw(c *chain, e Event) (Flaw, string) {
	if id, err := e.Digest(); err != nil || id != e.ID {
		return Altered, fmt.Sprintf("its content has the id %s", short(id))
	}
	if at, known := c.place[e.ID]; known {
		return Replayed, fmt.Sprintf("it is event %d already", at)
	}
	if err := e.CheckSource(); err != nil {
		return Forged, err.Error()
	}
	if key, problem := v.signer(e); !e.signedBy(key) {
		return Forged, problem
	}
	if v.isFirst(e) && v.process != "" && bodyKey(e).Public != v.process {
		return Strange, "the key of the process is " + bodyKey(e).Public
	}
	if prev := e.Common().Prev; prev != c.head {
		return Removed, fmt.Sprintf("it follows %s and not %s", orStart(prev), orStart(c.head))
	}
	return 0, ""
}

// signer returns the key by which an event must be signed.
func (v *verifier) signer(e Event) (ed25519.PublicKey, string) {
	who := e.From
	switch {
	case v.isFirst(e):
		key, _ := public(bodyKey(e).Public)
		return key, "the first key of the process is not signed by itself"
	case e.Body.Type() == Key{}.Type():
		if who = bodyKey(e).Agent; v.keys[who] == nil {
			who = FromRouter
		}
	case who == FromUser:
		who = FromRouter
	}
	return v.keys[who], "its signature is not by the key of " + who
}

// isFirst reports whether e is the key of the process, before which there is none.
func (v *verifier) isFirst(e Event) bool {
	return bodyKey(e).Agent == FromRouter && v.keys[FromRouter] == nil
}

func bodyKey(e Event) Key {
	k, _ := e.Body.(Key)
	return k
}

func (v *verifier) learn(e Event) {
	if k := bodyKey(e); k.Agent != "" {
		v.keys[k.Agent], _ = public(k.Public)
	}
}

// verified returns the findings, when the whole log has been read.
func (c *chain) verified(room, pin string, pinned bool) Verified {
	if c.fault != nil && c.fault.Flaw == Removed {
		if at, later := c.place[c.fault.Event.Common().Prev]; later && at > c.fault.Number {
			c.fault.Flaw = Swapped
			c.fault.Problem += fmt.Sprintf(", which is event %d", at)
		}
	}
	if _, has := c.place[pin]; pinned && !has && c.fault == nil {
		c.fault = &Fault{Flaw: Missing, Room: room, Problem: "the pinned event " + short(pin) + " is not in the log"}
	}
	return Verified{room, c.good, c.head, c.fault}
}

func short(id string) string { return id[:min(len(id), 12)] }

func orStart(id string) string {
	if id == "" {
		return "nothing"
	}
	return short(id)
}
