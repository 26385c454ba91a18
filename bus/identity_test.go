package bus_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

func refused(t *testing.T, p *bus.Publisher, s signals.Any, why string) {
	t.Helper()
	_, err := p.Publish(context.Background(), s)
	var pe *bus.PermissionError
	if !errors.As(err, &pe) {
		t.Errorf("%s: got %v, want a PermissionError", why, err)
	} else if pe.Agent != p.Agent() || pe.Kind != s.Kind() {
		t.Errorf("%s: %+v names neither agent nor kind", why, pe)
	}
}

func TestHandleBindsTheSource(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	forged := found("x")
	forged.Source = "someone"
	refused(t, a, forged, "another's source")
	own := found("y")
	own.Source = "a"
	must(t, a, own)
	refused(t, b.System(), forged, "another's source through the system's handle")
	if got := history(b, bus.Filter{}); len(got) != 1 || got[0].Head().Source != "a" {
		t.Errorf("history %v", got)
	}
}

func TestKindsOutsideCanEmitAreRefusedNotRewritten(t *testing.T) {
	b := newBus(t, nil)
	canEmit := []signals.Kind{signals.KindVote}
	a, err := b.Agent("a", bus.Permissions{CanEmit: canEmit})
	if err != nil {
		t.Fatal(err)
	}
	canEmit[0] = signals.KindDiscovery // the handle has its own copy
	refused(t, a, found("x"), "not in CanEmit")
	must(t, a, votes("", "p"))
	none, err := b.Agent("none", bus.Permissions{CanEmit: []signals.Kind{}})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, none, votes("", "p"), "nothing in CanEmit")
}

func TestHandleMayBindThreads(t *testing.T) {
	b := newBus(t, nil)
	a, err := b.Agent("a", bus.Permissions{Threads: []string{"t"}})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, a, foundIn("other", "x"), "another thread")
	refused(t, a, found("x"), "the thread without a name")
	must(t, a, foundIn("t", "x"))
}

func TestReservedKindsAreTheSystems(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	ids := signals.MustID("x")
	for _, s := range []signals.Any{
		signals.New(signals.Header{}, signals.Task{Task: "x"}),
		signals.New(signals.Header{}, signals.Conflict{SignalA: ids, SignalB: ids}),
		signals.New(signals.Header{}, signals.Consensus{ProposalID: "p", Decision: "d"}),
		signals.New(signals.Header{}, conflict.Resolution{SignalA: ids, SignalB: ids}),
	} {
		refused(t, a, s, "reserved")
		if _, err := b.Agent("b", bus.Permissions{CanEmit: []signals.Kind{s.Kind()}}); err == nil {
			t.Errorf("a handle for %s was given out", s.Kind())
		}
		if s.Kind() != conflict.KindResolved { // there is none to resolve
			must(t, b.System(), s)
		}
	}
}

func TestAgentNeedsANameOfItsOwn(t *testing.T) {
	b := newBus(t, nil)
	for _, id := range []string{"", bus.System, "a\nb", string(make([]byte, 300))} {
		var invalid *signals.FieldError
		if _, err := b.Agent(id, bus.Permissions{}); !errors.As(err, &invalid) || invalid.Field != "agent" {
			t.Errorf("%q: got %v, want a FieldError about the agent", id, err)
		}
	}
}

func TestProposalIDBelongsToItsFirstSourceAndContent(t *testing.T) {
	b := newBus(t, &bus.Options{History: 3, Conflicts: &conflict.Options{Off: true}})
	a, z := agent(t, b, "a"), agent(t, b, "z")
	must(t, a, proposes("t", "p", "this"))
	check := func(p *bus.Publisher, s signals.Any, owner string) {
		t.Helper()
		_, err := p.Publish(context.Background(), s)
		var pe *conflict.ProposalError
		if !errors.As(err, &pe) || pe.Owner != owner || pe.ProposalID != "p" || pe.Thread != "t" {
			t.Errorf("got %v, want a ProposalError that names %q", err, owner)
		}
	}
	check(a, proposes("t", "p", "that"), "a")     // other content
	check(z, proposes("t", "p", "this"), "a")     // other source
	must(t, a, proposes("t", "p", "this"))        // the same again
	must(t, z, proposes("elsewhere", "p", "own")) // another thread
	for range 10 {
		must(t, z, found("x")) // evicts all of them
	}
	check(z, proposes("t", "p", "mine"), "a")
	b.CloseThread("elsewhere")
	check(z, proposes("t", "p", "mine"), "a")
	b.CloseThread("t")
	must(t, z, proposes("t", "p", "mine"))
	check(a, proposes("t", "p", "this"), "z")
}

func TestRefusalDoesNotDependOnEarlierSignals(t *testing.T) {
	b := newBus(t, nil)
	a, err := b.Agent("a", bus.Permissions{CanEmit: []signals.Kind{signals.KindDiscovery, "x/1"}})
	if err != nil {
		t.Fatal(err)
	}
	raw := func(k signals.Kind) signals.Any {
		return signals.New(signals.Header{}, signals.Raw{Type: k, JSON: "1"})
	}
	forged, unsure := found("x"), found("x")
	forged.Source, unsure.Confidence = "b", 2
	odd, untraced, distant := found("x"), found("x"), found("x")
	odd.Recipients, untraced.Trace, distant.Time = signals.To("bell\a"), &signals.Trace{}, time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)
	late := found("x")
	late.Time, late.TTL = time.Now().Add(-time.Hour), time.Second
	for _, before := range []signals.Any{found("fine"), raw("x/1")} {
		must(t, a, before)
		refused(t, a, forged, "another's source")
		refused(t, a, raw("x/2"), "a kind not in CanEmit, of the same type as one that is")
		refused(t, a, votes("", "p"), "a kind not in CanEmit")
		for field, s := range map[string]signals.Any{
			"thread": foundIn("bell\a", "x"), "finding": found(""), "confidence": unsure, "recipients": odd, "traceparent": untraced, "timestamp": distant,
			"payload": signals.New(signals.Header{}, signals.Raw{Type: "x/1", JSON: "{"}),
		} {
			var fe *signals.FieldError
			if _, err := a.Publish(t.Context(), s); !errors.As(err, &fe) || fe.Field != field || fe.Kind != s.Kind() {
				t.Errorf("%s: got %v, want a FieldError that names it", field, err)
			}
		}
		if _, err := a.Publish(t.Context(), late); !errors.Is(err, bus.ErrExpired) {
			t.Errorf("expired: got %v", err)
		}
		var none *discovery
		if _, err := a.Publish(t.Context(), none); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("nil pointer: got %v", err)
		}
	}
	bound, err := b.Agent("bound", bus.Permissions{Threads: []string{"t"}})
	if err != nil {
		t.Fatal(err)
	}
	must(t, bound, foundIn("t", "x"))
	refused(t, bound, foundIn("u", "x"), "a thread that is not its own")
}

func TestAgentsIDsCannotBeThoseOfALog(t *testing.T) {
	b := newBus(t, &bus.Options{Mint: signals.SeededMint("log")})
	a := agent(t, b, "a")
	publish := func(p *bus.Publisher, id signals.ID) error {
		s := found("x")
		s.ID = id
		_, err := p.Publish(context.Background(), s)
		return err
	}
	next := signals.SeededMint("log").ID(7, time.Now())
	pair := conflict.Pair{A: conflict.Proposal{Signal: next}, B: conflict.Proposal{Signal: signals.MustID("x")}}
	for what, id := range map[string]signals.ID{"the next one's": next, "another log's": signals.NewMint().ID(1, time.Now()), "a conflict's": pair.ID()} {
		var invalid *signals.FieldError
		if err := publish(a, id); !errors.As(err, &invalid) || invalid.Field != "id" {
			t.Errorf("%s id: %v", what, err)
		}
	}
	if err := publish(b.System(), next); err == nil {
		t.Error("the system took an id of its own log's mint")
	}
	if err := publish(a, signals.MustID("a's own")); err != nil {
		t.Error(err)
	}
}

func TestFedIDsOfTheMintMustBeInTheirPlace(t *testing.T) {
	mint := signals.SeededMint("log")
	b := newBus(t, &bus.Options{Mint: mint})
	at := time.Now()
	fed := func(seq uint64, id signals.ID) error {
		return b.Feed(context.Background(), signals.New(
			signals.Header{Seq: seq, ID: id, Source: "a", Time: at, TTL: -1}, signals.Discovery{Finding: "x"}))
	}
	other := signals.SeededMint("log")
	first, second, far := other.ID(1, at), other.ID(2, at), other.ID(9, at)
	if err := fed(1, first); err != nil {
		t.Fatal(err)
	}
	if err := fed(2, far); err == nil {
		t.Error("took the id of a signal that is to come")
	}
	if err := fed(2, second); err != nil {
		t.Error(err)
	}
	for range 9 {
		must(t, b.System(), found("x"))
	}
	if err := fed(math.MaxUint64, signals.MustID("last")); err == nil {
		t.Error("took the greatest sequence number, after which there is none")
	}
	must(t, b.System(), found("goes on"))
}

// A signal that embeds one has all its methods, and is none.
type liar struct{ *discovery }

func TestSignalThatIsNoneIsRefused(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	must(t, a, found("x"))
	for range 2 {
		if _, err := a.Publish(t.Context(), liar{found("y")}); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("published: %v", err)
		}
		if _, err := a.PublishAll(t.Context(), found("z"), liar{found("y")}); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("published: %v", err)
		}
	}
	if b.Last() != 1 {
		t.Errorf("%d signals", b.Last())
	}
}

// anyKind is a payload whose kind is not its type's.
type anyKind struct {
	K signals.Kind `json:"k"`
}

func (p anyKind) Kind() signals.Kind {
	if p.K == "" {
		return "acme.example/any"
	}
	return p.K
}

func TestKindThatDependsOnTheValueIsJudgedEachTime(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	for range 2 {
		must(t, a, signals.New(signals.Header{}, anyKind{}))
		var refused *bus.PermissionError
		if _, err := a.Publish(t.Context(), signals.New(signals.Header{}, anyKind{signals.KindTask})); !errors.As(err, &refused) && !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("published a reserved kind: %v", err)
		}
	}
}

func TestSubscribingToANameDoesNotMakeItValid(t *testing.T) {
	b := newBus(t, nil)
	for _, name := range []string{strings.Repeat("x", 257), "a\nb", "\xff"} {
		if _, err := b.Subscribe(bus.SubscribeOptions{Threads: []string{"", name}}); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	subscribe(t, b, bus.SubscribeOptions{Threads: []string{""}})
}
