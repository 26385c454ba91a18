package swarm_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// TestAWinnerThatTheVotesDidNotMakeIsFound turns the winner of a settled conflict round.
func TestAWinnerThatTheVotesDidNotMakeIsFound(t *testing.T) {
	t.Parallel()
	codec, err := runlog.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"majority", "debate", "debate-lead", "three", "escalate-settled"} {
		archive, err := txtar.ParseFile("testdata/settling/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		whole, forged := new(journal.Memory), new(journal.Memory)
		act(t, archive.Files[0].Data, whole)
		for record, err := range whole.Read(0) {
			if err != nil {
				t.Fatal(err)
			}
			if record.Type == journal.TypeSignal {
				said, err := record.Signal(codec)
				if err != nil {
					t.Fatal(err)
				}
				if r, ok := signals.As[conflict.Resolution](said); ok {
					from, to := fmt.Appendf(nil, `"winner":"%s"`, r.Payload.Winner), fmt.Appendf(nil, `"winner":"%s"`, r.Payload.Loser())
					record.Body = bytes.ReplaceAll(record.Body, from, to)
				}
			}
			if _, err := forged.Append(record); err != nil {
				t.Fatal(err)
			}
		}
		var difference *replay.Difference
		if _, err := replayed(t, forged); !errors.As(err, &difference) || !strings.HasPrefix(difference.What, "winner by ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A consensus settles what is open about its proposal before the record of the decision,
// and none of what it settles is counted otherwise for that.
func TestAConsensusSettlesTheConflictsOfItsProposal(t *testing.T) {
	t.Parallel()
	j := new(journal.Memory)
	team := append(rivals()[:2], voter("v", map[string]signals.Stance{"a": yes, "b": no}), voter("w", map[string]signals.Stance{"a": yes}))
	r := solve(t, newSwarm(t, swarm.Options{Agents: team, Conflicts: settle.ByEscalation, Journal: j, Quorum: 2}))
	if r.Stop != runlog.StopConsensus || len(r.Settled) != 1 {
		t.Fatalf("%v %s, settled %v", r.Stop, r.Detail, r.Settled)
	}
	by, winner := r.Settled[0], r.Proposals[0].Proposal.ID
	var decided *signals.Signal[runlog.Decided]
	for _, s := range r.Log {
		if d, ok := signals.As[runlog.Decided](s); ok {
			decided = d
		}
	}
	if by.Payload.How != conflict.ByConsensus || by.Payload.Winner != winner || decided == nil || by.Seq > decided.Seq {
		t.Errorf("settled by %v, decided in %v", by, decided)
	}
	for _, p := range r.Proposals {
		if p.Lost {
			t.Errorf("%s has lost: its votes would not count", p.ID())
		}
	}
	if _, err := replayed(t, j); err != nil {
		t.Error(err)
	}
}

// Terms that another process recorded say how it settles conflicts: one that settles them
// otherwise goes on by terms of its own.
func TestAnotherPolicyTakesTermsOfItsOwn(t *testing.T) {
	t.Parallel()
	whole := new(journal.Memory)
	o := swarm.Options{Agents: torn(), Journal: whole, Conflicts: settle.ByEscalation, Seed: 3}
	solve(t, newSwarm(t, o))
	for policy, want := range map[settle.Policy]int{settle.ByEscalation: 1, settle.ByMajority: 2} {
		o.Conflicts, o.Journal = policy, cut(t, whole, 4)
		s := newSwarm(t, o)
		past, err := s.Results()
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Resume(t.Context(), past[0].Log, nil)
		if err != nil {
			t.Fatal(err)
		}
		var terms []string
		for _, s := range r.Log {
			if opened, ok := signals.As[runlog.Opened](s); ok {
				terms = append(terms, opened.Payload.String())
			}
		}
		if len(terms) != want || !strings.Contains(terms[want-1], "conflicts settled by "+policy.String()) {
			t.Errorf("%v: terms %q", policy, terms)
		}
	}
}

// A solve that is resumed after the record that an advocate could not pay holds no debate,
// whatever the advocate's budget is by then.
func TestAnUnpaidDebateIsNotHeldAfterARestart(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/settling/debate-unpaid.txtar")
	if err != nil {
		t.Fatal(err)
	}
	script, whole := archive.Files[0].Data, new(journal.Memory)
	last := act(t, script, whole)
	rich := bytes.ReplaceAll(script, []byte("owns 2"), []byte("owns 9"))
	if r := act(t, rich, new(journal.Memory)); !strings.Contains(told(r), "debate: ") {
		t.Fatalf("no debate although both can pay:\n%s", told(r))
	}
	if len(last.Unpaid) != 1 || last.Unpaid[0].Agent != "q" {
		t.Fatalf("unpaid: %v", last.Unpaid)
	}
	for _, s := range last.Log {
		if s.Kind() == settle.KindUnpaid {
			if r := act(t, rich, cut(t, whole, s.Head().Seq)); told(r) != told(last) {
				t.Errorf("got\n%s", told(r))
			}
		}
	}
}

// A majority that settles a conflict of a solve whose terms say otherwise is found,
// whatever the votes are.
func TestAMajorityThatTheTermsDoNotHaveIsFound(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/settling/majority.txtar")
	if err != nil {
		t.Fatal(err)
	}
	whole, forged := new(journal.Memory), new(journal.Memory)
	act(t, archive.Files[0].Data, whole)
	changed := 0
	for record, err := range whole.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		from, to := []byte(`"conflicts":"majority"`), []byte(`"conflicts":"escalate"`)
		changed += bytes.Count(record.Body, from)
		record.Body = bytes.ReplaceAll(record.Body, from, to)
		if _, err := forged.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	var difference *replay.Difference
	if _, err := replayed(t, forged); changed != 1 || !errors.As(err, &difference) || difference.What != "what settled a conflict" || difference.Derived != "escalate" {
		t.Errorf("%d terms changed: %v", changed, err)
	}
}
