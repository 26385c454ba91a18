package conflict_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// mortal is the signal of a proposal that was made at start.
func (p proposal) mortal(ttl time.Duration) signals.Any {
	s := p.signal()
	h := s.Head()
	h.Time, h.TTL = start, ttl
	return signals.With(s, h)
}

func TestAProposalIsLiveToTheLastInstantOfItsTTL(t *testing.T) {
	at := start.UnixNano()
	for ttl, last := range map[time.Duration]int64{
		time.Second: at + int64(time.Second), -1: math.MaxInt64, math.MaxInt64: math.MaxInt64,
	} {
		f, p := conflict.NewFold(nil), proposal{1, "t", "a", "x"}
		f.Apply(p.mortal(ttl))
		if f.Expire(last); !f.Live(p.id()) {
			t.Errorf("a TTL of %v has ended at its last instant", ttl)
		}
		if f.Expire(last + 1); last < math.MaxInt64 && f.Live(p.id()) {
			t.Errorf("a TTL of %v has not ended behind its last instant", ttl)
		}
	}
}

// A log may have what was accepted elsewhere.
func TestAProposalIDBelongsToTheFirstOfTheLog(t *testing.T) {
	f := conflict.NewFold(nil)
	h := signals.Header{Thread: "t", Time: start, TTL: -1}
	said := signals.Proposal{ProposalID: "p", Content: "x"}
	for i, source := range []string{"a", "b"} {
		h.Seq, h.ID, h.Source = uint64(i+1), signals.MustID(fmt.Sprint("s", i)), source
		f.Apply(signals.New(h, said))
	}
	for source, want := range map[string]bool{"a": true, "b": false} {
		f.Begin(1)
		var owned *conflict.ProposalError
		if err := f.Admit(signals.New(h, said), source); (err == nil) != want || !want && (!errors.As(err, &owned) || owned.Owner != "a") {
			t.Errorf("again by %s: %v", source, err)
		}
	}
}

func TestAConflictIsResolvedOnceInOneCall(t *testing.T) {
	a, b := proposal{1, "t", "a", "x"}, proposal{2, "t", "b", "y"}
	_, forth := resolves("t", a, b)
	_, back := resolves("t", b, a)
	decided := signals.New(signals.Header{Thread: "t"}, signals.Consensus{ProposalID: "p1"})
	elsewhere := signals.New(signals.Header{Thread: "u"}, signals.Consensus{ProposalID: "p1"})
	for name, c := range map[string]struct {
		first, second signals.Any
		want          error
	}{
		"twice":                         {forth, forth, conflict.ErrNotOpen},
		"the other way round":           {forth, back, conflict.ErrNotOpen},
		"after a consensus":             {decided, forth, conflict.ErrNotOpen},
		"after one of another thread":   {elsewhere, back, nil},
		"before a consensus, which may": {back, decided, nil},
	} {
		f := conflict.NewFold(nil)
		f.Apply(a.mortal(-1))
		f.Apply(b.mortal(-1))
		f.Begin(2)
		if err := f.Admit(c.first, "system"); err != nil {
			t.Errorf("%s: the first: %v", name, err)
		}
		if err := f.Admit(c.second, "system"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// ruled is the signal of a conflict that a rule has found.
func ruled(seq uint64, ttl time.Duration) signals.Any {
	p := conflict.Pair{
		Rule: "r", Thread: "t",
		A: conflict.Proposal{Signal: signals.MustID(fmt.Sprint("a", seq))}, B: conflict.Proposal{Signal: signals.MustID(fmt.Sprint("b", seq))},
	}
	return signals.New(signals.Header{Seq: seq, ID: p.ID(), Thread: p.Thread, Time: start, TTL: ttl}, p.Payload())
}

func TestConflictsOfRulesEndWithTheirSides(t *testing.T) {
	f := conflict.NewFold(nil)
	for i, ttl := range []time.Duration{time.Second, time.Minute, time.Hour, -1} {
		f.Apply(ruled(uint64(i+1), ttl))
	}
	for i, after := range []time.Duration{time.Second, time.Second + 1, time.Minute + 1, time.Hour + 1} {
		f.Expire(start.Add(after).UnixNano())
		if open, want := f.Counts().Open, 4-i; open != want {
			t.Errorf("%d are open after %v, want %d", open, after, want)
		}
	}
}

func TestOpenConflictsOfRulesAreBounded(t *testing.T) {
	f := conflict.NewFold(&conflict.Options{MaxOpen: 2})
	for seq := range uint64(4) {
		f.Apply(ruled(seq+1, -1))
	}
	if c := f.Counts(); c.Open != 2 || c.Opened != 2 {
		t.Errorf("%+v, want 2 open", c)
	}
}
