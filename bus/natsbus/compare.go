package natsbus

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A Difference says that another process derived something else from the log. One of
// the two does not have the same version, options or memory.
type Difference struct {
	Process string      // the other one
	Seq     uint64      // of the first message of the stream that they took differently, as far as this process read them
	Signal  signals.Any // the first signal of that message here; nil: the history does not have it, or not any more
}

func (d Difference) String() string {
	about := "it has no signal in the history of this process, which has dropped it or never took it into the log"
	if d.Signal != nil {
		h := d.Signal.Head()
		about = fmt.Sprintf("%s %s by %q in %q", d.Signal.Kind(), h.ID, h.Source, h.Thread)
	}
	return fmt.Sprintf("%s derived something else from message %d: %s", d.Process, d.Seq, about)
}

// held is the number of messages for which a process keeps what it derived.
const held = 1 << 14

// block is the number of messages that are compared at once.
const block = 64

// A comparison compares what processes derive from the messages: what each says, whether it is
// in the log, with which numbers, and the program's digest of it.
type comparison struct {
	telling sync.Mutex // held while an alarm is reported

	run      string     // that no other process has, whatever its name
	mu       sync.Mutex // protects the fields below
	rules    string     // by which messages are judged, which all processes must have alike
	first    uint64     // message with which this process began
	next     uint64     // message to come
	hashes   []uint64   // of messages, by sequence number modulo held
	prefixes []uint64   // of all messages up to each, likewise
	sum      uint64     // of all messages so far
	partial  bool       // the first ones are unknown
	told     uint64     // message up to which others were told
	compared uint64
	alarms   uint64
	later    []claim // about messages that this process does not have yet
	namesake bool    // another process has the same name
}

// A claim is what a process derived from a range of messages.
type claim struct {
	Process string   `json:"process"`
	Run     string   `json:"run,omitempty"` // that no other process has; "": one of an earlier version
	From    uint64   `json:"from"`
	To      uint64   `json:"to"` // exclusive
	Hash    uint64   `json:"hash"`
	Prefix  uint64   `json:"prefix,omitempty"` // hash of all messages before To; 0: unknown
	Each    []uint64 `json:"each,omitempty"`   // of each message, if it was asked for
}

func (c *comparison) begin(first uint64) {
	c.first, c.next, c.told, c.hashes, c.prefixes = first, first, first, make([]uint64, held), make([]uint64, held)
	c.partial = first > 1 && c.sum == 0
}

// prefix returns the hash of all messages so far, which other processes have alike.
func (c *comparison) prefix() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.partial {
		return 0
	}
	return c.sum
}

// prefixLocked returns the hash of all messages before one; 0 if it is unknown.
func (c *comparison) prefixLocked(to uint64) uint64 {
	if c.partial || to <= c.first || to > c.next || to-1+held < c.next {
		return 0
	}
	return c.prefixes[(to-1)%held]
}

// add takes what a message says, what became of it or of those of an envelope, the last sequence
// number of the bus, which says how many conflicts they opened, and the digest.
func (c *comparison) add(seq uint64, says []byte, all []verdict, last uint64, digest []byte) {
	h := sha256.New()
	h.Write([]byte(c.rules))
	write := func(n uint64) { _, _ = h.Write(binary.BigEndian.AppendUint64(nil, n)) }
	write(seq)
	h.Write(says)
	for _, v := range all {
		if v.dead == nil {
			write(v.first)
		} else {
			h.Write([]byte(v.dead.Reason))
		}
	}
	if slices.ContainsFunc(all, func(v verdict) bool { return v.dead == nil }) {
		write(last)
	}
	h.Write(digest)
	c.mu.Lock()
	defer c.mu.Unlock()
	one := binary.BigEndian.Uint64(h.Sum(nil))
	c.sum = max(mix(c.sum, one), 1)
	c.hashes[seq%held], c.prefixes[seq%held], c.next = one, c.sum, seq+1
}

func mix(all, one uint64) uint64 { return (all ^ one) * 0x100000001b3 }

// rangeLocked returns the hash of a range of messages, and those of each of them; false if
// this process does not have them all.
func (c *comparison) rangeLocked(from, to uint64) (all uint64, each []uint64, ok bool) {
	if from < c.first || to > c.next || to-from > held || from+held < c.next {
		return 0, nil, false
	}
	for seq := from; seq < to; seq++ {
		one := c.hashes[seq%held]
		all = mix(all, one)
		each = append(each, one)
	}
	return all, each, true
}

// claims returns what others have not been told.
func (c *comparison) claims(process string) (all []claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = max(c.told, c.next-min(c.next, held/2))
	for c.told < c.next {
		to := min(c.next, (c.told/block+1)*block)
		if hash, _, ok := c.rangeLocked(c.told, to); ok {
			all = append(all, claim{Process: process, Run: c.run, From: c.told, To: to, Hash: hash, Prefix: c.prefixLocked(to)})
		}
		c.told = to
	}
	return all
}

// differs compares a claim with what this process derived. A claim about messages that are
// to come waits for them. One that begins before the first message of this process, which
// joined with a snapshot, is compared by the hash of all messages.
func (c *comparison) differs(of claim) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of.To > c.next {
		c.waitLocked(of)
		return false
	}
	hash, _, each := c.rangeLocked(of.From, of.To)
	prefix := c.prefixLocked(of.To)
	all := prefix > 0 && of.Prefix > 0
	if each && hash != of.Hash || all && prefix != of.Prefix {
		return true
	}
	if each || all {
		c.compared += of.To - max(of.From, c.first)
	}
	return false
}

// Claims that wait are bounded in number, and each in bytes.
const (
	mostLater = 1024
	mostClaim = 4 << 10 // of JSON; one that was not asked for has no hashes of each message
)

// waitLocked keeps a claim about messages to come. Of too many, the one that is due last gives
// way, so that those about messages far ahead do not keep out others.
func (c *comparison) waitLocked(of claim) {
	if of.To-c.next > held {
		return
	}
	c.later = append(c.later, of)
	if len(c.later) > mostLater {
		last := slices.MaxFunc(c.later, func(a, b claim) int { return cmp.Compare(a.To, b.To) })
		i := slices.IndexFunc(c.later, func(of claim) bool { return of.To == last.To })
		c.later = slices.Delete(c.later, i, i+1)
	}
}

// due returns the claims that waited.
func (c *comparison) due() (all []claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.later = slices.DeleteFunc(c.later, func(of claim) bool {
		if of.To > c.next {
			return false
		}
		all = append(all, of)
		return true
	})
	return all
}

// firstDifference returns the first message in which a claim differs; 0: none.
func (c *comparison) firstDifference(of claim) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ours, ok := c.rangeLocked(of.From, of.To)
	if !ok {
		return 0
	}
	for i, theirs := range of.Each {
		if i < len(ours) && ours[i] != theirs {
			return of.From + uint64(i)
		}
	}
	return 0
}

func (c *comparison) counts() (first, compared, alarms uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first, c.compared, c.alarms
}

// startComparing tells other processes what this one derives, listens to them, and answers
// those that find a difference.
func (l *Log) startComparing() error {
	heard := make(chan *nats.Msg, 4096)
	if _, err := l.conn.ChanSubscribe(l.name+".derived", heard); err != nil {
		return err
	}
	_, err := l.conn.Subscribe(l.name+".derived."+token(l.opts.Process), func(m *nats.Msg) {
		var c claim
		if json.Unmarshal(m.Data, &c) == nil {
			c.Each = l.compare.each(c.From, c.To)
			if text, err := json.Marshal(c); err == nil {
				_ = m.Respond(text)
			}
		}
	})
	if err != nil {
		return err
	}
	_ = l.conn.FlushTimeout(request) // to receive all claims from now on; a connection that is lost subscribes again
	l.running.Go(func() { l.compareAll(l.ended, heard) })
	return nil
}

func (c *comparison) each(from, to uint64) []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, each, _ := c.rangeLocked(from, to)
	return each
}

func (l *Log) compareAll(ctx context.Context, heard <-chan *nats.Msg) {
	tick := time.NewTicker(l.opts.Compare)
	defer tick.Stop()
	asking := make(chan struct{}, 16) // of other processes, at once
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-heard:
			var c claim
			if len(m.Data) <= mostClaim && l.believes(m) && json.Unmarshal(m.Data, &c) == nil && c.From < c.To {
				l.hear(ctx, c, asking)
			}
		case <-tick.C:
			l.tell()
			for _, c := range l.compare.due() {
				l.hear(ctx, c, asking)
			}
		}
	}
}

// tell publishes what this process derived since the last time.
func (l *Log) tell() {
	for _, c := range l.compare.claims(l.opts.Process) {
		if text, err := json.Marshal(c); err == nil {
			m := &nats.Msg{Subject: l.name + ".derived", Header: nats.Header{}, Data: text}
			sign(m, l.opts.Key)
			_ = l.conn.PublishMsg(m) // the next one has to do, if it is lost
		}
	}
}

// believes reports whether a key that may speak for some source signed a claim, if signatures
// are checked.
func (l *Log) believes(m *nats.Msg) bool {
	for source := range l.opts.Keys {
		if l.opts.signed(received(m), source) == nil {
			return true
		}
	}
	return l.opts.Keys == nil
}

// hear compares what another process derived. It does not wait for that process, which may
// not answer. One with the same name cannot be asked: this process would answer, too.
func (l *Log) hear(ctx context.Context, c claim, asking chan struct{}) {
	namesake := c.Process == l.opts.Process
	if namesake && c.Run == l.compare.run {
		return
	}
	if namesake && l.compare.meets() {
		l.opts.warn(fmt.Sprintf("natsbus: another process on the stream %s is called %s, too: each must have an Options.Process of its own", l.name, c.Process))
	}
	if !l.compare.differs(c) {
		return
	}
	if namesake {
		l.alarm(Difference{Process: c.Process, Seq: c.From})
		return
	}
	select {
	case asking <- struct{}{}:
		l.running.Go(func() {
			defer func() { <-asking }()
			l.ask(ctx, c)
		})
	default:
		l.alarm(Difference{Process: c.Process, Seq: c.From})
	}
}

// ask asks another process with which message it began to differ, and raises the alarm.
func (l *Log) ask(ctx context.Context, c claim) {
	first, _, _ := l.compare.counts()
	c.From = max(c.From, first)
	ask, err := json.Marshal(claim{From: c.From, To: c.To})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	d := Difference{Process: c.Process, Seq: c.From}
	if answer, err := l.conn.RequestWithContext(ctx, l.name+".derived."+token(c.Process), ask); err == nil && json.Unmarshal(answer.Data, &c) == nil {
		d.Seq = cmp.Or(l.compare.firstDifference(c), d.Seq)
	}
	l.alarm(d)
}

// meets reports that this is the first claim of another process with the same name.
func (c *comparison) meets() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.namesake
	c.namesake = true
	return first
}

func (l *Log) alarm(d Difference) {
	l.compare.mu.Lock()
	l.compare.alarms++
	l.compare.mu.Unlock()
	for s := range l.bus.History(bus.Filter{After: firstOf(d.Seq) - 1}) {
		if StreamSequence(s.Head().Seq) == d.Seq {
			d.Signal = s
		}
		break
	}
	if l.opts.Tell.Alarm != nil {
		l.compare.telling.Lock()
		defer l.compare.telling.Unlock()
		l.opts.Tell.Alarm(d)
	}
}
