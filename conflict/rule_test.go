package conflict_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

var start = time.Date(2026, 4, 11, 9, 0, 0, 0, time.UTC)

func votes(seq uint64, source, proposal string, s signals.Stance, ttl time.Duration) signals.Any {
	return signals.New(
		signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("v", seq)), Source: source, Thread: "t", Time: start.Add(time.Duration(seq) * time.Second), TTL: ttl},
		signals.Vote{ProposalID: proposal, Stance: s, Weight: 1},
	)
}

func TestOpposedVotesAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := conflict.NewComparer(conflict.OpposedVotes())
		var log []*signals.Signal[signals.Vote]
		for seq := range uint64(rapid.IntRange(1, 30).Draw(t, "n")) {
			s := votes(seq+1, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "source"), rapid.SampledFrom([]string{"p", "q"}).Draw(t, "proposal"),
				rapid.SampledFrom([]signals.Stance{signals.Agree, signals.Disagree, signals.Abstain}).Draw(t, "stance"),
				time.Duration(rapid.IntRange(-1, 9).Draw(t, "ttl"))*time.Second)
			v, _ := signals.As[signals.Vote](s)
			want := uint64(0)
			for i, o := range log {
				over := o.TTL >= 0 && o.Time.Add(o.TTL).Before(v.Time)
				for _, later := range log[i+1:] {
					over = over || later.Source == o.Source && later.Payload.ProposalID == o.Payload.ProposalID
				}
				opposed := o.Payload.Stance == signals.Agree && v.Payload.Stance == signals.Disagree ||
					o.Payload.Stance == signals.Disagree && v.Payload.Stance == signals.Agree
				if !over && opposed && o.Source != v.Source && o.Payload.ProposalID == v.Payload.ProposalID && want == 0 {
					want = o.Seq
				}
			}
			log = append(log, v)
			pair, older := c.Compare(s)
			if got := pair.A.Seq; got != want || (older != nil) != (want > 0) || want > 0 && (pair.B.Seq != v.Seq || pair.Rule != "opposed-votes") {
				t.Fatalf("vote %d: got %+v, want a conflict with %d", v.Seq, pair, want)
			}
		}
	})
}

func TestRuleForComparesItsTwoTypesInEitherOrder(t *testing.T) {
	r := conflict.RuleFor("near", func(d *signals.Signal[signals.Discovery], m *signals.Signal[signals.Memory]) bool {
		return d.Payload.Finding == m.Payload.Content
	})
	found := func(seq uint64, text string) signals.Any {
		return signals.New(signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("s", seq)), Source: "a", Time: start, TTL: -1}, signals.Discovery{Finding: text})
	}
	stored := func(seq uint64, text string) signals.Any {
		return signals.New(signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("s", seq)), Source: "b", Time: start, TTL: -1}, signals.Memory{Content: text})
	}
	for name, log := range map[string][]signals.Any{
		"discovery first": {found(1, "x"), found(2, "y"), stored(3, "y")},
		"memory first":    {stored(1, "x"), stored(2, "y"), found(3, "y")},
	} {
		c := conflict.NewComparer(r)
		for _, s := range log[:2] {
			if p, older := c.Compare(s); older != nil {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if p, older := c.Compare(log[2]); older != log[1] || p.A.Seq != 2 || p.B.Seq != 3 {
			t.Errorf("%s: got %+v, want a conflict of 2 and 3", name, p)
		}
	}
}

func TestComparerForgetsTheOldestKeyBeyondItsBound(t *testing.T) {
	c := conflict.NewComparer(conflict.OpposedVotes())
	for i := range uint64(4097) {
		c.Compare(votes(i+1, "a", fmt.Sprint(i), signals.Agree, -1))
	}
	for proposal, want := range map[string]bool{"1": true, "4096": true} {
		if _, older := c.Compare(votes(5000, "b", proposal, signals.Disagree, -1)); (older != nil) != want {
			t.Errorf("proposal %s: a conflict %v, want %v", proposal, older != nil, want)
		}
	}
	if _, older := c.Compare(votes(5000, "b", "0", signals.Disagree, -1)); older != nil {
		t.Error("the oldest of 4097 keys is kept")
	}
}

func TestComparerComparesTheNewestOfEachKeyByOthers(t *testing.T) {
	compared, own := 0, 0
	c := conflict.NewComparer(conflict.Rule{Name: "count", Contradict: func(a, b signals.Any) bool {
		if a.Head().Source == b.Head().Source {
			own++
		}
		compared++
		return false
	}})
	for i := range uint64(1100) {
		c.Compare(votes(i+1, "a", "p", signals.Agree, -1))
	}
	if c.Compare(votes(1101, "b", "p", signals.Agree, -1)); compared != 1024 || own > 0 {
		t.Errorf("compared with %d of 1100, want 1024, %d times with one of its own source", compared, own)
	}
}

func ExampleRuleFor() {
	r := conflict.RuleFor("same-cause", func(a, b *signals.Signal[signals.Discovery]) bool {
		return a.Payload.Finding != b.Payload.Finding
	})
	c := conflict.NewComparer(r)
	for i, finding := range []string{"the cache", "the network"} {
		h := signals.Header{Seq: uint64(i + 1), ID: signals.MustID(fmt.Sprint("s", i)), Source: fmt.Sprint("agent", i), Time: start, TTL: -1}
		if p, older := c.Compare(signals.New(h, signals.Discovery{Finding: finding})); older != nil {
			fmt.Println(p.Payload().Description)
		}
	}
	// Output:
	// same-cause: signal 1 by agent0 and signal 2 by agent1
}
