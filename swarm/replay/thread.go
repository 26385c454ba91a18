package replay

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A Thread is the fold of a thread, with what was derived from it.
type Thread struct {
	*runlog.Thread
	Last consensus.Decision // the newest decision; the zero value if there is none

	terms    map[string]*Terms
	decided  map[string]consensus.Decision // by the name of the terms
	observed []Observed
	over     bool // it was decided by the terms that it was opened with last
}

func newThread(name string) *Thread {
	return &Thread{Thread: runlog.New(name), terms: map[string]*Terms{}, decided: map[string]consensus.Decision{}}
}

// Terms returns the newest terms that a swarm decides the thread by; nil: there are none.
func (t *Thread) Terms() *Terms { return t.terms[runlog.Learner] }

// stop returns why the thread stopped last; 0 if it goes on.
func (t *Thread) stop() runlog.StopReason {
	if t.Stage.Decided == nil {
		return 0
	}
	return t.Stage.Decided.Payload.Stop
}

// Again returns the decision on the votes as they count now, by the terms of the last
// record; ok is false if there is none, or if its strategy is unknown.
func (t *Thread) Again() (d consensus.Decision, ok bool) {
	made, terms := t.Stage.Decided, t.Terms()
	if made == nil || terms == nil || terms.By == nil && t.Calls.Plan() == nil {
		return d, false
	}
	d, err := terms.decide(t.Thread, made.Payload)
	return d, err == nil
}

// live reports whether the proposals of a solve are: no record has closed its thread.
func (t *Thread) live() bool {
	made := t.Stage.Decided
	return t.terms[runlog.Learner] != nil && (!t.over || made == nil || !made.Payload.ClosesThread())
}

// checks reports whether the conflicts of the thread are in the log.
func (t *Thread) checks() bool {
	for _, terms := range t.terms {
		return !terms.NoConflicts
	}
	return false
}

// derive returns the decision of a record, which is what the log says.
func (t *Thread) derive(terms *Terms, s *signals.Signal[runlog.Decided]) (consensus.Decision, error) {
	d, err := terms.decide(t.Thread, s.Payload)
	if err != nil {
		return d, fmt.Errorf("replay: signal %d: %w", s.Seq, err)
	}
	if made, unread := s.Payload.Made(); unread == nil {
		d.Falls, d.Worth = made.Falls, made.Worth // said beside the decision, and not in old logs
	}
	derived, err := runlog.TextOf(d)
	switch {
	case err != nil:
		return d, err
	case derived != s.Payload.Decision:
		return d, &Difference{s.Seq, s.Thread, "decision by " + s.Payload.Name, string(s.Payload.Decision), string(derived)}
	case s.Source != bus.System || s.Confidence != d.Confidence:
		return d, &Difference{
			s.Seq, s.Thread, "header of the decision",
			fmt.Sprintf("%s, confidence %v", s.Source, s.Confidence), fmt.Sprintf("%s, confidence %v", bus.System, d.Confidence),
		}
	case !t.chose(d.Choice):
		return d, &Difference{s.Seq, s.Thread, "winner by consensus", t.Conflicts.Last().Payload.Winner.String(), d.Choice}
	case !s.Payload.Follows(d):
		return d, &Difference{s.Seq, s.Thread, "stop", s.Payload.Stop.String(), runlog.StopFor(d.Outcome).String()}
	}
	return d, nil
}

// chose reports whether the last conflict that a consensus settled is settled for a choice.
func (t *Thread) chose(choice string) bool {
	last, chosen := t.Conflicts.Last(), t.Votes.Of(choice)
	if last == nil || last.Payload.How != conflict.ByConsensus {
		return true
	}
	return chosen != nil && slices.ContainsFunc(t.Votes.Made(), func(p *signals.Signal[signals.Proposal]) bool {
		return p.ID == last.Payload.Winner && chosen.Is(p.Payload.ProposalID)
	})
}

// follows compares a round with what the plan of the thread asks for next.
func (t *Thread) follows(s signals.Any) error {
	began, ok := signals.As[runlog.Began](s)
	if !ok || t.Calls.Plan() == nil {
		return nil
	}
	turns, err := began.Payload.All()
	if err != nil {
		return fmt.Errorf("replay: signal %d: %w", began.Seq, err)
	}
	next := t.Calls.Next()
	stray := slices.ContainsFunc(turns, func(b runlog.BegunTurn) bool { return !slices.Contains(next.Ask, b.Agent) })
	if len(next.Ask) > 0 && began.Payload.Ask == next.Part && !stray {
		return nil
	}
	var asked []string
	for _, b := range turns {
		asked = append(asked, b.Agent)
	}
	return &Difference{
		began.Seq, began.Thread, "step of the plan",
		fmt.Sprintf("%v of %v", began.Payload.Ask, asked), fmt.Sprintf("%v of %v", next.Part, next.Ask),
	}
}

// settled compares the winner of a conflict that votes have settled with the log.
func (t *Thread) settled(s *signals.Signal[conflict.Resolution]) error {
	terms := t.terms[runlog.Learner]
	if terms == nil || terms.By == nil || !terms.Same {
		return nil
	}
	winner, ok, err := t.SettledAs(terms.By, terms.Options, terms.Weights)
	if err != nil {
		return fmt.Errorf("replay: signal %d: %w", s.Seq, err)
	}
	if s.Payload.How == conflict.ByMajority && terms.Conflicts != settle.ByMajority {
		return &Difference{s.Seq, s.Thread, "what settled a conflict", string(s.Payload.How), terms.Conflicts.String()}
	}
	if decided := s.Payload.How == conflict.ByMajority || s.Payload.How == conflict.ByDebate; !decided || ok && winner == s.Payload.Winner {
		return nil
	}
	return &Difference{s.Seq, s.Thread, "winner by " + string(s.Payload.How), s.Payload.Winner.String(), winner.String()}
}

// announced compares what was announced in the thread with the decision on record.
func (t *Thread) announced(s *signals.Signal[signals.Consensus]) error {
	if len(t.terms) == 0 {
		return nil // announced by a program that records nothing
	}
	if open := t.Coordination.Converged().Obstacles; len(open) > 0 {
		return &Difference{s.Seq, s.Thread, "announcement", s.Payload.ProposalID, "withheld: " + open[0].String()}
	}
	for _, d := range t.decided {
		if t.stop() <= runlog.StopConsensus && d.Outcome == consensus.Reached && d.Choice == s.Payload.ProposalID &&
			d.Confidence == s.Payload.Confidence && t.content(d.Choice) == s.Payload.Decision {
			return nil
		}
	}
	said, _ := runlog.TextOf(s.Payload)
	derived, _ := runlog.TextOf(t.decided)
	return &Difference{s.Seq, s.Thread, "announcement", string(said), string(derived)}
}

// content returns the content of the first proposal with that id.
func (t *Thread) content(id string) string {
	for _, p := range t.Votes.Made() {
		if p.Payload.ProposalID == id {
			return p.Payload.Content
		}
	}
	return ""
}
