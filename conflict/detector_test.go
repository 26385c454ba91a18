package conflict_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

type proposal struct {
	seq                     uint64
	thread, source, content string
}

func (p proposal) id() signals.ID { return signals.MustID(fmt.Sprint("s", p.seq)) }

func (p proposal) signal() signals.Any {
	return signals.New(
		signals.Header{Seq: p.seq, ID: p.id(), Source: p.source, Thread: p.thread},
		signals.Proposal{ProposalID: fmt.Sprint("p", p.seq), Content: p.content},
	)
}

func (p proposal) rival(q proposal) bool {
	return p.thread == q.thread && p.source != q.source && p.content != q.content
}

// obvious is the definition: it keeps every live proposal and compares all.
type obvious struct {
	live []proposal
	open [][2]uint64
	cap  int
	held uint64
}

func (o *obvious) add(p proposal) (opened [][2]uint64) {
	open := 0
	for _, pair := range o.open {
		if o.at(pair[0]).thread == p.thread {
			open++
		}
	}
	for _, q := range o.live {
		if !q.rival(p) {
			continue
		}
		if open >= o.cap {
			o.held++
			break
		}
		opened = append(opened, [2]uint64{q.seq, p.seq})
		break
	}
	o.live = append(o.live, p)
	o.open = append(o.open, opened...)
	return opened
}

func (o *obvious) at(seq uint64) proposal {
	return o.live[slices.IndexFunc(o.live, func(p proposal) bool { return p.seq == seq })]
}

func (o *obvious) end(over func([2]uint64) bool) (ended [][2]uint64) {
	o.open = slices.DeleteFunc(o.open, func(pair [2]uint64) bool {
		if over(pair) {
			ended = append(ended, pair)
			return true
		}
		return false
	})
	return ended
}

func (o *obvious) remove(seq uint64) [][2]uint64 {
	ended := o.end(func(pair [2]uint64) bool { return pair[0] == seq || pair[1] == seq })
	o.live = slices.DeleteFunc(o.live, func(p proposal) bool { return p.seq == seq })
	return ended
}

func (o *obvious) pairs(thread string) (out [][2]uint64) {
	for i, b := range o.live {
		for _, a := range o.live[:i] {
			if b.thread == thread && a.rival(b) {
				out = append(out, [2]uint64{a.seq, b.seq})
			}
		}
	}
	return out
}

func (o *obvious) unresolved(thread string) (out [][2]uint64) {
	for _, pair := range o.open {
		if o.at(pair[0]).thread == thread {
			out = append(out, pair)
		}
	}
	return out
}

func short(pairs []conflict.Pair) (out [][2]uint64) {
	for _, p := range pairs {
		out = append(out, [2]uint64{p.A.Seq, p.B.Seq})
	}
	return out
}

func same(t *rapid.T, what string, got, want [][2]uint64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func TestDetectorAgreesWithTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &obvious{cap: rapid.IntRange(1, 6).Draw(t, "cap")}
		d := conflict.NewDetector(&conflict.Options{MaxOpen: o.cap})
		seq := uint64(0)
		letter := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
		known := func() uint64 {
			if len(o.live) == 0 {
				t.Skip("none live")
			}
			return rapid.SampledFrom(o.live).Draw(t, "live").seq
		}
		t.Repeat(map[string]func(*rapid.T){
			"propose": func(t *rapid.T) {
				seq++
				p := proposal{seq, letter("thread", "t", "u"), letter("source", "a", "b", "c"), letter("content", "x", "y", "z")}
				want := o.add(p)
				same(t, "opened", short(d.Fold(p.signal()).Opened), want)
				if again := d.Fold(p.signal()); len(again.Opened)+len(again.Ended) != 0 {
					t.Fatalf("the same signal again: %+v", again)
				}
			},
			"remove": func(t *rapid.T) {
				gone := known()
				id := o.at(gone).id()
				same(t, "ended", short(d.Remove(id).Ended), o.remove(gone))
				same(t, "removed twice", short(d.Remove(id).Ended), nil)
			},
			"resolve": func(t *rapid.T) {
				x, y := known(), known()
				thread := o.at(x).thread
				r := conflict.Resolution{SignalA: o.at(x).id(), SignalB: o.at(y).id()}
				want := o.end(func(p [2]uint64) bool {
					return p == [2]uint64{x, y} || p == [2]uint64{y, x}
				})
				if o.at(y).thread != thread && len(want) > 0 {
					t.Fatal("a pair over two threads")
				}
				same(t, "resolved", short(d.Fold(signals.New(signals.Header{Thread: thread}, r)).Ended), want)
			},
			"consensus": func(t *rapid.T) {
				thread := letter("thread", "t", "u")
				want := o.end(func(p [2]uint64) bool { return o.at(p[0]).thread == thread })
				same(t, "decided", short(d.Fold(signals.New(signals.Header{Thread: thread}, signals.Consensus{})).Ended), want)
			},
			"": func(t *rapid.T) {
				for _, thread := range []string{"t", "u"} {
					same(t, "unresolved", short(slices.Collect(d.Unresolved(thread))), o.unresolved(thread))
					same(t, "pairs", short(slices.Collect(d.Pairs(thread))), o.pairs(thread))
				}
				if d.Open() != len(o.open) || d.HeldBack() != o.held {
					t.Fatalf("%d open, %d held back; want %d, %d", d.Open(), d.HeldBack(), len(o.open), o.held)
				}
			},
		})
	})
}

func TestConflictIDIsDerivedFromThePairAlone(t *testing.T) {
	p := conflict.Pair{Thread: "t", A: conflict.Proposal{Signal: signals.MustID("a"), Seq: 1}, B: conflict.Proposal{Signal: signals.MustID("b"), Seq: 2}}
	q := p
	q.Thread, q.A.Seq, q.A.Content = "elsewhere", 7, "x"
	if p.ID() != q.ID() {
		t.Error("the id depends on more than the two signals")
	}
	q.A.Signal, q.B.Signal = q.B.Signal, q.A.Signal
	if p.ID() == q.ID() {
		t.Error("the other way round has the same id")
	}
	if err := signals.Validate(signals.New(signals.Header{ID: p.ID()}, p.Payload())); err != nil {
		t.Error(err)
	}
}

func TestResolutionChecksItsFields(t *testing.T) {
	a := signals.MustID("a")
	for _, r := range []conflict.Resolution{{SignalA: a}, {SignalB: a}, {SignalA: a, SignalB: a, Reason: "\xff"}} {
		if err := signals.Validate(signals.New(signals.Header{}, r)); err == nil {
			t.Errorf("%+v is valid", r)
		}
	}
}

func ExampleDetector() {
	d := conflict.NewDetector(nil)
	d.Fold(proposal{1, "retries", "ann", "back off"}.signal())
	d.Fold(proposal{2, "retries", "ann", "back off with jitter"}.signal()) // refines her own
	d.Fold(proposal{3, "retries", "bob", "give up"}.signal())
	for p := range d.Unresolved("retries") {
		fmt.Printf("%s: %s against %s\n", p.Thread, p.A.Content, p.B.Content)
	}
	fmt.Println(len(slices.SortedFunc(d.Pairs("retries"), func(p, q conflict.Pair) int { return cmp.Compare(p.A.Seq, q.A.Seq) })), "pairs")
	// Output:
	// retries: back off against give up
	// 2 pairs
}
