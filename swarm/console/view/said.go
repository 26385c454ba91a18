package view

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// The forms that the filter of a transcript distinguishes.
const (
	argument = "argument"
	vote     = "vote"
	person   = "person"
	system   = "system"
)

// describe returns a signal in words.
func (s *solve) describe(said signals.Any) api.Said {
	h := said.Head()
	w := api.Said{
		Seq: h.Seq, ID: h.ID.String(), Time: h.Time, Round: int(h.Round), By: h.Source, Kind: string(said.Kind()),
		Form: "other", About: system, Level: levelOf(h.CausalLevel), Sure: h.Confidence, Target: s.seqs[h.ReplyTo],
	}
	for to := range h.Recipients.All() {
		w.To = append(w.To, to)
	}
	switch {
	case s.agentSays(&w, said), s.systemSays(&w, said):
	default:
		w.Text = text(said)
	}
	if w.By != bus.System && s.person(w.By) {
		w.About = person
	}
	return w
}

// person reports whether a source is not an agent that takes turns.
func (s *solve) person(source string) bool {
	if s.Stage.Answered != nil && s.Stage.Answered.Payload.By == source {
		return true
	}
	return source == runlog.Person
}

// agentSays describes a signal of an agent; false: it is another signal.
func (s *solve) agentSays(w *api.Said, said signals.Any) bool {
	switch p := said.Body().(type) {
	case signals.Task:
		w.Form, w.Text, w.Reason = "task", p.Task, p.Context
	case signals.Discovery:
		w.Form, w.About, w.Text, w.Reason = "finding", argument, p.Finding, p.Evidence
	case signals.Proposal:
		w.Form, w.About, w.Text, w.Reason, w.Proposal = "proposal", argument, p.Content, p.Reasoning, p.ProposalID
	case signals.Doubt:
		w.Form, w.About, w.Text, w.Severity, w.Target = "doubt", argument, p.Concern, p.Severity.String(), s.seqs[p.TargetSignalID]
	case signals.Challenge:
		w.Form, w.About, w.Text, w.Reason, w.Target = "challenge", argument, p.CounterArgument, p.AlternativeProposal, s.seqs[p.TargetSignalID]
	case signals.Vote:
		w.Form, w.About, w.Text, w.Proposal, w.Stance, w.Weight = "vote", vote, p.Reasoning, p.ProposalID, p.Stance.String(), &p.Weight
	case signals.Escalation:
		w.Form, w.About, w.Text, w.Reason = "escalation", person, p.Reason, p.Context
	case signals.Memory:
		w.Form, w.About, w.Text, w.Reason = "memory", argument, p.Content, p.Category
	case signals.ToolResult:
		w.Form, w.About, w.Text, w.Reason, w.Error, w.Millis = "tool", argument, p.Result, p.ToolName, p.IsError, p.DurationMs
		w.By = p.TriggeredBy
	case signals.Retraction:
		w.Form, w.About, w.Target = "note", argument, s.seqs[p.TargetSignalID]
		w.Text, w.Reason, w.Severity = "Takes back what was said", p.Reason, string(signals.KindRetraction)
		if h := said.Head(); h.Source == bus.System && p.By != "" { // in the name of the operator
			w.By, w.About = p.By, person
		}
	case agents.Passed:
		w.Form, w.Text = "passed", p.Reason
	default:
		n := coordination.NoteOf(said)
		if n == nil {
			return false
		}
		w.Form, w.About, w.Text, w.Reason, w.Severity = "note", argument, n.Summary, n.Details, n.Class.String()
	}
	return true
}

// systemSays describes a signal of the system; false: it is another signal.
func (s *solve) systemSays(w *api.Said, said signals.Any) bool {
	switch p := said.Body().(type) {
	case runlog.Began:
		w.Form, w.Text = "round", fmt.Sprintf("Round %d", w.Round)
		if p.Debate.Round > 0 {
			w.Text, w.Reason = "Debate", p.Debate.String()
		}
	case signals.Conflict:
		w.Form, w.Text, w.Target = "conflict", p.Description, s.seqs[p.SignalB]
	case conflict.Resolution:
		w.Form, w.Text, w.Reason, w.Target = "settled", string(p.How), p.Reason, s.seqs[p.SignalB]
		w.Proposal = s.proposalOf(p.Winner)
	case signals.Consensus:
		w.Form, w.Text, w.Proposal = "consensus", p.Decision, p.ProposalID
	case runlog.Late:
		w.Form, w.Text = "late", p.String()
	case runlog.Failed:
		w.Form, w.Text = "failed", p.String()
	case runlog.Same:
		w.Form, w.Text, w.Proposal = "same", p.ProposalID+" is the same as "+p.As, p.ProposalID
	case runlog.Opened:
		w.Form, w.Text = "terms", p.String()
	case runlog.Decided:
		w.Form, w.Text, w.Reason = "decided", p.String(), p.Detail
	case runlog.Answered:
		w.Form, w.About, w.Text = "answer", person, "answered by "+p.By
		w.Target = s.seqs[p.AnswerID]
	case runlog.Outcome:
		w.Form, w.Text, w.Proposal = "outcome", p.String(), p.ProposalID
	default:
		return false
	}
	return true
}

// proposalOf returns the id of the proposal of a signal; "": it is none.
func (s *solve) proposalOf(id signals.ID) string {
	for _, p := range s.Votes.Made() {
		if p.ID == id {
			return p.Payload.ProposalID
		}
	}
	return ""
}

// text describes a payload that this package does not know.
func text(said signals.Any) string {
	if p, ok := said.Body().(fmt.Stringer); ok {
		return p.String()
	}
	body, err := json.Marshal(said.Body())
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(body))
}
