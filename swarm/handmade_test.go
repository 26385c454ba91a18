package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// An outcome that names no decision is of all in its thread, as logs of earlier
// versions and of other programs have it.
func TestAnOutcomeWithoutANameIsOfAllDecisionsOfItsThread(t *testing.T) {
	log := newRecord(t)
	terms := runlog.Terms{Name: "x", Strategy: "x", Default: true, Learner: "x"}
	log.decide(terms, "one", 1)
	log.decide(terms, "two", 1)
	log.say(runlog.Outcome{ProposalID: "a"})
	r, err := replayed(t, log.journal)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(ledgerOf(t, r.Ledger("x")), `"right":"a"`); got != 2 {
		t.Errorf("got %s", ledgerOf(t, r.Ledger("x")))
	}
}

// A record writes a journal by hand.
type record struct {
	t       *testing.T
	journal *journal.Memory
	bus     *bus.Bus
	writer  *journal.Writer
	thread  string
}

func newRecord(t *testing.T) *record {
	t.Helper()
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &record{t: t, journal: new(journal.Memory), bus: b, thread: "t"}
	codec, err := runlog.NewCodec()
	if err == nil {
		r.writer, err = journal.Attach(t.Context(), b, r.journal, codec)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.writer.Close(context.Background()); b.Close() })
	return r
}

func (r *record) put(said signals.Any, err error) {
	r.t.Helper()
	var receipt bus.Receipt
	if err == nil {
		receipt, err = r.bus.System().Publish(r.t.Context(), said)
	}
	if err == nil {
		err = r.writer.Sync(r.t.Context(), receipt.Seq)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *record) say(p signals.Payload) {
	r.t.Helper()
	h := signals.Header{Thread: r.thread, Confidence: 1}
	switch p := p.(type) {
	case runlog.Outcome:
		r.put(signals.New(h, p), nil)
	case signals.Proposal:
		r.put(signals.New(h, p), nil)
	default:
		r.t.Fatalf("%T", p)
	}
}

// decide records terms and the decision of so many voters for "a" by confidence,
// which is what a ledger decides by at first.
func (r *record) decide(terms runlog.Terms, name string, voters int) {
	r.t.Helper()
	if !slices.ContainsFunc(slices.Collect(r.bus.History(bus.Filter{Threads: []string{r.thread}})), func(s signals.Any) bool { return s.Kind() == signals.KindProposal }) {
		r.say(signals.Proposal{ProposalID: "a", Content: "do a"})
	}
	r.put(terms.Open(r.thread))
	votes, err := consensus.NewRound(consensus.Default(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for v := range voters {
		p, err := r.bus.Agent(fmt.Sprint("v", v), bus.Permissions{})
		if err != nil {
			r.t.Fatal(err)
		}
		if _, err := p.Publish(r.t.Context(), signals.With(vote("a", yes, 1), signals.Header{Thread: r.thread, Confidence: 1})); err != nil {
			r.t.Fatal(err)
		}
	}
	for said := range r.bus.History(bus.Filter{Threads: []string{r.thread}}) {
		if err := runlog.Fold(votes, said, 1); err != nil {
			r.t.Fatal(err)
		}
	}
	r.put(runlog.Decided{Name: terms.Name, Observed: name}.Record(r.thread, votes.Decision()))
}

// TestRetainForgetsTheNamesThatTheLedgerForgot keeps four decisions.
func TestRetainForgetsTheNamesThatTheLedgerForgot(t *testing.T) {
	log := newRecord(t)
	terms := runlog.Terms{Name: "x", Strategy: "x", Default: true, Learner: "x", Learns: &reliability.Options{Window: 4}}
	for i := range 6 {
		log.thread = fmt.Sprint("thread-", i)
		log.decide(terms, fmt.Sprint("decision-", i), 1)
	}
	log.thread = "chat"
	log.say(signals.Proposal{ProposalID: "z", Content: "the last one stays"})
	if retain(t, log.journal, journal.Retention{Bytes: 1}) == 0 {
		t.Fatal("nothing was dropped")
	}
	snapshot, err := log.journal.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if state := string(snapshot.State); strings.Contains(state, "decision-0") || !strings.Contains(state, "decision-5") {
		t.Errorf("it keeps %s", state)
	}
}

// A conflict is in the log although no two proposals of the log are rivals: the other
// one was dropped, or it was added by hand.
func TestAConflictWithADroppedProposalIsBelievedAndNoOther(t *testing.T) {
	log := newRecord(t)
	first, err := log.bus.Agent("p", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	proposal := func(id, content string) signals.Any {
		return signals.New(signals.Header{Thread: log.thread, Confidence: 1}, signals.Proposal{ProposalID: id, Content: content})
	}
	for _, said := range []signals.Any{vote("z", yes, 1), proposal("a", "do a")} {
		if _, err := first.Publish(t.Context(), said); err != nil {
			t.Fatal(err)
		}
	}
	terms := runlog.Terms{Name: "x", Strategy: "voting"}
	log.put(terms.Open(log.thread))
	log.put(proposal("b", "do b"), nil)
	all := slices.Collect(log.bus.History(bus.Filter{}))
	if len(all) != 5 || all[4].Kind() != signals.KindConflict {
		t.Fatalf("%d signals, want a conflict at last", len(all))
	}
	agrees := slices.Clone(all)
	agrees[3] = signals.New(all[3].Head(), signals.Proposal{ProposalID: "b", Content: "do a"})
	for name, c := range map[string]struct {
		through uint64
		log     []signals.Any
		ok      bool
	}{
		"whole":                                {0, all, true},
		"its rival was dropped":                {2, all[2:], true},
		"its rival is missing":                 {0, all[2:], false},
		"its rival is no rival":                {0, agrees, false},
		"nor is it where others were dropped":  {1, agrees[1:], false},
		"without a rival, where it is missing": {0, agrees[2:], false},
	} {
		r, err := replay.New(journal.Snapshot{Through: c.through, State: []byte(`{"version":1}`)})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.log {
			if err == nil {
				err = r.Next(s)
			}
		}
		var different *replay.Difference
		if c.ok != (err == nil) || !c.ok && !errors.As(err, &different) {
			t.Errorf("%s: %v", name, err)
		}
		r.Close()
	}
}
