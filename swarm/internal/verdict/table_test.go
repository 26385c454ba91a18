package verdict_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/verdict"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

const (
	yes, no = signals.Agree, signals.Disagree
	system  = "system"
)

// A script is a thread that is written by hand.
type script struct {
	*runlog.Thread
	seq uint64
	ids map[string]signals.ID // of the signals of proposals
}

func newScript(t interface{ Fatal(...any) }) *script {
	s := &script{Thread: runlog.New("t"), ids: map[string]signals.ID{}}
	if err := s.Votes.CountBy(consensus.Default(), &consensus.Options{Electorate: []string{"p", "q", "r", "u", "v", "w"}}, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *script) says(source string, said signals.Any) signals.ID {
	s.seq++
	h := said.Head()
	h.Seq, h.ID, h.Source, h.Thread = s.seq, signals.MustID(fmt.Sprint("s-", s.seq)), source, "t"
	s.Apply(signals.With(said, h))
	return h.ID
}

// propose adds a proposal, in conflict with the first one that has not lost.
func (s *script) propose(id string) {
	oldest := ""
	for _, p := range s.Votes.Show("") {
		if !p.Lost {
			oldest = p.ID()
			break
		}
	}
	s.ids[id] = s.says(id, signals.New(signals.Header{}, signals.Proposal{ProposalID: id, Content: "do " + id}))
	if oldest != "" {
		s.says(system, signals.New(signals.Header{}, signals.Conflict{SignalA: s.ids[oldest], SignalB: s.ids[id]}))
	}
}

func (s *script) vote(voter, id string, stance signals.Stance) {
	s.says(voter, signals.New(signals.Header{}, signals.Vote{ProposalID: id, Stance: stance, Weight: 0.8}))
}

func (s *script) begin(step settle.Debate) {
	s.says(system, signals.New(signals.Header{Round: int32(s.Turns.Rounds + 1)}, runlog.Began{Turns: "[]", Debate: step}))
}

func (s *script) table(by settle.Policy) *verdict.Table {
	anybody := func(string, agents.Standing, agents.Standing) bool { return true }
	return &verdict.Table{Thread: s.Thread, Policy: by, Rounds: 10, CanArgue: anybody, IsFree: func(string) bool { return true }}
}

func TestMajorityWaitsForARoundThatBeganWithBothProposals(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.begin(settle.Debate{})
	s.propose("p")
	s.propose("q")
	s.vote("u", "p", yes)
	if c := s.table(settle.ByMajority).Majority(); c != nil {
		t.Errorf("settled in the round of the proposals: %+v", c)
	}
	s.begin(settle.Debate{})
	if c := s.table(settle.ByDebate).Majority(); c != nil {
		t.Errorf("settled although the policy is another: %+v", c)
	}
	c := s.table(settle.ByMajority).Majority()
	if c == nil || c.Winner != s.ids["p"] || c.How != conflict.ByMajority || c.Reason != "1 for p, 0 for q" {
		t.Fatalf("got %+v", c)
	}
	s.says(system, c.Signal())
	if c := s.table(settle.ByMajority).Majority(); c != nil || len(s.Conflicts.Open()) > 0 {
		t.Errorf("%+v and %v are left", c, s.Conflicts.Open())
	}
}

func TestATieIsDebatedThenAsked(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.propose("p")
	s.propose("q")
	s.begin(settle.Debate{})
	table := s.table(settle.ByMajority)
	if m, ok := table.Next(false); !ok || m.Debate.ForA != "p" || m.Debate.ForB != "q" || m.Debate.Part != settle.Attack {
		t.Errorf("got %+v, want a debate", m)
	}
	table.CanArgue = func(agent string, _, _ agents.Standing) bool { return agent != "q" }
	if m, ok := table.Next(false); !ok || m.Ask == nil {
		t.Errorf("got %+v, want a question where q cannot argue", m)
	}
	if m, ok := table.Next(true); ok {
		t.Errorf("got %+v, want nothing while the question is open", m)
	}
	table.Policy = settle.ByDebate
	if m, ok := table.Next(false); ok {
		t.Errorf("got %+v, want that the votes decide alone", m)
	}
}

// An answer to another question leaves a conflict to whoever settles it; a vote for one
// side, and an answer to the question about it, settle it.
func TestOnlyAVoteOrTheAnswerToItsQuestionSettlesAConflict(t *testing.T) {
	t.Parallel()
	fact := signals.New(signals.Header{Source: "person"}, signals.Memory{Content: "yes", Category: "answer"})
	agrees := signals.New(signals.Header{Source: "person"}, signals.Vote{ProposalID: "q", Stance: yes, Weight: 1})
	rejects := signals.New(signals.Header{Source: "person"}, signals.Vote{ProposalID: "q", Stance: no, Weight: 1})
	for name, c := range map[string]struct {
		by      string // who asks
		about   string // the proposal to which the question replies
		said    signals.Any
		settles bool
		winner  string
	}{
		"a fact for an agent's question":  {"p", "", fact, false, ""},
		"a fact for an agent about q":     {"p", "q", fact, false, ""},
		"a no for an agent's question":    {"p", "", rejects, false, ""},
		"a vote for an agent's question":  {"p", "", agrees, true, "q"},
		"a fact for the conflict's":       {system, "q", fact, true, ""},
		"a vote for the conflict's":       {system, "q", agrees, true, "q"},
		"a fact for the system's about p": {system, "p", fact, false, ""},
		"a fact for nobody's question":    {"", "", fact, false, ""},
	} {
		s := newScript(t)
		s.propose("p")
		s.propose("q")
		if c.by != "" {
			s.says(c.by, signals.New(signals.Header{ReplyTo: s.ids[c.about]}, signals.Escalation{Reason: "?"}))
		}
		said := c.said
		if asked := s.Stage.Asked(); asked != nil {
			h := said.Head()
			h.ReplyTo = asked.ID
			said = signals.With(said, h)
		}
		got := s.table(settle.ByDebate).Answered(said, s.Conflicts.Open())
		if (got != nil) != c.settles || got != nil && (got.Winner != s.ids[c.winner] || got.How != conflict.ByAnswer) {
			t.Errorf("%s: got %+v", name, got)
		}
		s.says(system, signals.New(signals.Header{ReplyTo: signals.MustID("sig_question")}, runlog.Answered{By: "person", AnswerID: signals.MustID("sig_answer")}))
		if len(s.Conflicts.Open()) != 1 {
			t.Errorf("%s: the record of the answer ended the conflict", name)
		}
	}
}

func TestADebateWithoutNewArgumentsEndsForTheMoreProbableSide(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.propose("p")
	s.propose("q")
	s.vote("u", "q", yes)
	m, _ := s.table(settle.ByDebate).Next(false)
	s.begin(m.Debate)
	m, ok := s.table(settle.ByDebate).Next(false)
	if !ok || m.Resolve == nil || m.Resolve.Winner != s.ids["q"] || m.Resolve.How != conflict.ByDebate {
		t.Fatalf("got %+v", m)
	}
	s.vote("v", "p", yes)
	if m, ok := s.table(settle.ByDebate).Next(false); ok {
		t.Errorf("got %+v of a debate that ended even", m)
	}
}

func TestADebateThatCannotChangeTheChoiceDisputesNothing(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.propose("p")
	s.propose("q")
	s.vote("u", "p", yes)
	reached := consensus.Decision{Outcome: consensus.Reached, Choice: "p"}
	if !s.table(settle.ByDebate).Disputed(reached, false) {
		t.Error("one vote for the choice, and the debate is not waited for")
	}
	table := s.table(settle.ByDebate)
	table.Rounds = 0
	if table.Disputed(reached, false) {
		t.Error("a debate for which there are no rounds withholds the decision")
	}
	for _, voter := range []string{"v", "w", "r"} {
		s.vote(voter, "p", yes)
		s.vote(voter, "q", no)
	}
	if s.table(settle.ByDebate).Disputed(reached, false) {
		t.Error("the choice is certain, and the decision is withheld")
	}
	if !s.table(settle.ByMajority).Disputed(reached, false) || s.table(settle.ByEscalation).Disputed(reached, true) {
		t.Error("a majority waits while a conflict is open, an escalation does not")
	}
}

// TestSettlingComesToAnEnd does whatever is next, with any votes and policy: each move
// settles a conflict, takes the next step of a debate or asks.
func TestSettlingComesToAnEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, by := newScript(t), settle.Policy(rapid.IntRange(0, 2).Draw(t, "policy"))
		proposals := []string{"p", "q", "r"}[:rapid.IntRange(2, 3).Draw(t, "proposals")]
		for _, id := range proposals {
			s.propose(id)
		}
		for _, voter := range []string{"u", "v", "w"} {
			s.vote(voter, rapid.SampledFrom(proposals).Draw(t, "proposal"), rapid.SampledFrom([]signals.Stance{yes, no}).Draw(t, "stance"))
		}
		for range 20 {
			open := len(s.Conflicts.Open())
			m, ok := s.table(by).Next(false)
			switch {
			case !ok || m.Ask != nil:
				return
			case m.Resolve == nil:
				s.begin(m.Debate)
				continue
			}
			s.says(system, m.Resolve.Signal())
			if left := len(s.Conflicts.Open()); left >= open {
				t.Fatalf("%d of %d conflicts are open after %+v", left, open, m.Resolve)
			}
		}
		t.Fatalf("no end after 20 moves by %d", by)
	})
}
