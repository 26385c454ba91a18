package conflict_test

import (
	"errors"
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

// obvious is the definition: it keeps every live proposal and compares every
// pair.
type obvious struct {
	live []proposal
	open map[uint64]bool // by the newer one
	cap  int
	held uint64
}

// rival returns the oldest live rival of p that is older, 0 if there is none.
func (o *obvious) rival(p proposal) uint64 {
	for _, q := range o.live {
		if q.seq < p.seq && q.rival(p) {
			return q.seq
		}
	}
	return 0
}

func (o *obvious) unresolved(thread string) (out [][2]uint64) {
	for _, p := range o.live {
		if o.open[p.seq] && p.thread == thread {
			out = append(out, [2]uint64{o.rival(p), p.seq})
		}
	}
	return out
}

func (o *obvious) add(p proposal) (opened [][2]uint64) {
	o.live = append(o.live, p)
	switch rival := o.rival(p); {
	case rival == 0:
	case len(o.unresolved(p.thread)) == o.cap:
		o.held++
	default:
		o.open[p.seq] = true
		opened = [][2]uint64{{rival, p.seq}}
	}
	return opened
}

func (o *obvious) at(seq uint64) proposal {
	return o.live[slices.IndexFunc(o.live, func(p proposal) bool { return p.seq == seq })]
}

func (o *obvious) end(thread string, over func([2]uint64) bool) (ended [][2]uint64) {
	for _, pair := range o.unresolved(thread) {
		if over(pair) {
			delete(o.open, pair[1])
			ended = append(ended, pair)
		}
	}
	return ended
}

func (o *obvious) remove(seq uint64) [][2]uint64 {
	gone := o.at(seq)
	ended := o.end(gone.thread, func(pair [2]uint64) bool { return pair[1] == seq })
	o.live = slices.DeleteFunc(o.live, func(p proposal) bool { return p.seq == seq })
	for _, p := range o.live {
		if o.open[p.seq] && o.rival(p) == 0 {
			delete(o.open, p.seq)
			ended = append(ended, [2]uint64{seq, p.seq})
		}
	}
	return ended
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
		o := &obvious{open: map[uint64]bool{}, cap: rapid.IntRange(1, 6).Draw(t, "cap")}
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
				if again := d.Fold(p.signal()); len(again.Opened)+len(again.Resolved) != 0 {
					t.Fatalf("the same signal again: %+v", again)
				}
			},
			"remove": func(t *rapid.T) {
				gone := known()
				id := o.at(gone).id()
				same(t, "ended", short(d.Remove(id)), o.remove(gone))
				same(t, "removed twice", short(d.Remove(id)), nil)
			},
			"resolve": func(t *rapid.T) {
				x, y := known(), known()
				thread := letter("thread", "t", "u")
				r := conflict.Resolution{SignalA: o.at(x).id(), SignalB: o.at(y).id()}
				want := o.end(thread, func(p [2]uint64) bool {
					return p == [2]uint64{x, y} || p == [2]uint64{y, x}
				})
				if err := d.Resolvable(thread, r); (err == nil) != (len(want) == 1) || err != nil && !errors.Is(err, conflict.ErrNotOpen) {
					t.Fatalf("resolvable: %v, want %v", err, want)
				}
				same(t, "resolved", short(d.Fold(signals.New(signals.Header{Thread: thread}, r)).Resolved), want)
			},
			"consensus": func(t *rapid.T) {
				thread := letter("thread", "t", "u", "v")
				want := o.end(thread, func(p [2]uint64) bool { return true })
				same(t, "decided", short(d.Fold(signals.New(signals.Header{Thread: thread}, signals.Consensus{})).Resolved), want)
			},
			"": func(t *rapid.T) {
				for _, thread := range []string{"t", "u"} {
					same(t, "unresolved", short(slices.Collect(d.Unresolved(thread))), o.unresolved(thread))
				}
				if d.Open() != len(o.open) || d.HeldBack() != o.held {
					t.Fatalf("%d open, %d held back; want %d, %d", d.Open(), d.HeldBack(), len(o.open), o.held)
				}
			},
		})
	})
}

// fold puts rivals into a thread: p1 by a, p2 by b and so on.
func fold(d *conflict.Detector, sources ...string) (all []proposal) {
	for i, source := range sources {
		p := proposal{uint64(i + 1), "t", source, fmt.Sprint("content ", i)}
		d.Fold(p.signal())
		all = append(all, p)
	}
	return all
}

func unresolved(d *conflict.Detector) [][2]uint64 { return short(slices.Collect(d.Unresolved("t"))) }

func resolves(thread string, a, b proposal) (conflict.Resolution, signals.Any) {
	r := conflict.Resolution{SignalA: a.id(), SignalB: b.id()}
	return r, signals.New(signals.Header{Thread: thread}, r)
}

// When the oldest of three rivals expires, the two that are left are rivals
// still.
func TestRivalsThatRemainStayInConflict(t *testing.T) {
	d := conflict.NewDetector(nil)
	all := fold(d, "a", "b", "c")
	if ended := short(d.Remove(all[0].id())); !slices.Equal(ended, [][2]uint64{{1, 2}}) {
		t.Errorf("ended %v, want that of 2 alone", ended)
	}
	if got := unresolved(d); !slices.Equal(got, [][2]uint64{{2, 3}}) || d.Open() != 1 {
		t.Errorf("%d open: %v, want 2 against 3", d.Open(), got)
	}
	_, s := resolves("t", all[2], all[1])
	if ended := short(d.Fold(s).Resolved); !slices.Equal(ended, [][2]uint64{{2, 3}}) || d.Open() != 0 {
		t.Errorf("ended %v, %d open", ended, d.Open())
	}
}

func TestResolutionFromAnotherThreadEndsNoConflict(t *testing.T) {
	d := conflict.NewDetector(nil)
	all := fold(d, "a", "b")
	for _, thread := range []string{"u", ""} {
		r, s := resolves(thread, all[0], all[1])
		if err := d.Resolvable(thread, r); !errors.Is(err, conflict.ErrNotOpen) {
			t.Errorf("in thread %q: %v", thread, err)
		}
		if c := d.Fold(s); len(c.Resolved) != 0 || d.Open() != 1 {
			t.Errorf("in thread %q: ended %v, %d open", thread, c.Resolved, d.Open())
		}
	}
}

func TestResolutionOfNoConflictIsRefused(t *testing.T) {
	d := conflict.NewDetector(nil)
	all := fold(d, "a", "a", "b", "c") // open: 1-3, 1-4
	unknown := proposal{seq: 9, thread: "t"}
	check := func(a, b proposal, open bool) {
		t.Helper()
		r, _ := resolves("t", a, b)
		if err := d.Resolvable("t", r); (err == nil) != open || err != nil && !errors.Is(err, conflict.ErrNotOpen) {
			t.Errorf("%d and %d: %v", a.seq, b.seq, err)
		}
	}
	check(all[0], all[1], false) // no rivals
	check(all[2], all[3], false) // rivals, but the conflict of 4 is with 1
	check(all[0], unknown, false)
	check(unknown, all[0], false)
	check(all[3], all[0], true)
	_, s := resolves("t", all[0], all[3])
	d.Fold(s)
	check(all[0], all[3], false) // resolved
	check(all[0], all[2], true)
}

func TestRefusedResolutionNamesThePairThatIsNotOpen(t *testing.T) {
	d := conflict.NewDetector(nil)
	r, _ := resolves("t", proposal{seq: 1}, proposal{seq: 2})
	want := `conflict: no open conflict: s1 and s2 in thread "t"`
	if err := d.Resolvable("t", r); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
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
	// Logs have these ids: they never change.
	for want, pair := range map[string]conflict.Pair{"conflict_75756597813d8644494ff239": p, "conflict_7dfdb7955df0f17a3f1bf013": {Rule: "r", A: p.A, B: p.B}} {
		if got := pair.ID().String(); got != want {
			t.Errorf("by rule %q: %s, want %s", pair.Rule, got, want)
		}
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
	d.Fold(proposal{2, "retries", "ann", "back off with jitter"}.signal()) // refines her own proposal
	d.Fold(proposal{3, "retries", "bob", "give up"}.signal())
	for p := range d.Unresolved("retries") {
		fmt.Printf("%s: %s against %s\n", p.Thread, p.A.Content, p.B.Content)
	}
	// Output:
	// retries: back off against give up
}
