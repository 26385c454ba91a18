// Package said is the table of kinds: what form a signal has, who says it about what, and how it
// reads. The transcript, the console with all that reads its frames (A2A, AG-UI, MCP), and the
// spans of package otel read it.
//
// A kind of this project has an entry in [Of]. Any other kind is added in its own file, by a
// payload that is a [Sayer]; without that, it reads as its String method or its JSON says.
package said

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// What a signal is about: filters distinguish these. [System] is the zero value's.
const (
	Argument = "argument"
	Vote     = "vote"
	Person   = "person"
	System   = "system"
)

// A Tone says how much attention a signal deserves.
type Tone uint8

// The tones.
const (
	Quiet   Tone = iota
	Strong       // what others refer to
	Fact         // what was found out or answered
	Warning      // an objection, or something that was late
	Bad          // a conflict or a failure
	Good         // something that was settled
)

var tones = map[signals.Stance]Tone{signals.Agree: Good, signals.Disagree: Bad}

// A Line is what a signal says. A member that does not apply is empty.
type Line struct {
	Form         string // such as "proposal"; "" means "other"
	About        string // one of the constants; "" means System
	Tone         Tone
	By           string // who said it; "" means the source of the signal
	Text, Reason string // what it says, and why or what else

	Severity     string
	Class        string // of a note
	Agent        string // whom a record is about
	Proposal, As string // the ids of the proposal that it is or concerns, and of the one that says the same
	Stance       signals.Stance
	Weight       float64    // of a stance
	Target       signals.ID // what it is directed at
	Rivals       [2]signals.ID
	How          conflict.How // the rivals were settled
	Winner       signals.ID   // of the rivals
	Failed       bool
	Milliseconds float64

	sentence func(called func(signals.ID) string) string // nil: of Text and Reason
}

// A Sayer is a payload that says how it reads. It may be used from several goroutines.
type Sayer interface{ Said() Line }

// Sentence returns the line as one sentence, which may have line breaks of what agents say.
// called returns what a signal is called by people.
func (l *Line) Sentence(called func(signals.ID) string) string {
	if l.sentence != nil {
		return l.sentence(called)
	}
	return join(l.Text, l.Reason)
}

// after makes a sentence of a lead and the text, without the reason.
func (l Line) after(lead string) Line {
	l.sentence = func(func(signals.ID) string) string { return lead + l.Text }
	return l
}

// words makes a sentence of its own.
func (l Line) words(sentence func(called func(signals.ID) string) string) Line {
	l.sentence = sentence
	return l
}

// record is what the system notes about an agent, as the record itself says it.
func record(form string, tone Tone, agent string, p fmt.Stringer) Line {
	return Line{Form: form, Tone: tone, Agent: agent, Text: p.String()}
}

// Of returns what a signal says. A payload that panics when it is asked says so.
func Of(s signals.Any) (l Line) {
	defer func() {
		if v := recover(); v != nil {
			l = Line{Tone: Bad, Text: fmt.Sprintf("cannot be shown: panic: %v", v)}
		}
		l.Form, l.About = cmp.Or(l.Form, "other"), cmp.Or(l.About, System)
	}()
	switch p := s.Body().(type) {
	case Sayer:
		return p.Said()
	case signals.Task:
		return Line{Form: "task", Tone: Strong, Text: p.Task, Reason: attached(p)}.after("")
	case signals.Discovery:
		return Line{Form: "finding", About: Argument, Tone: Fact, Text: p.Finding, Reason: p.Evidence}
	case signals.Proposal:
		return Line{Form: "proposal", About: Argument, Tone: Strong, Text: p.Content, Reason: p.Reasoning, Proposal: p.ProposalID}.
			words(func(func(signals.ID) string) string { return p.ProposalID + ": " + join(p.Content, p.Reasoning) })
	case signals.Doubt:
		return Line{Form: "doubt", About: Argument, Tone: Warning, Text: p.Concern, Severity: p.Severity.String(), Target: p.TargetSignalID}.after(p.Severity.String() + ": ")
	case signals.Challenge:
		return Line{Form: "challenge", About: Argument, Tone: Warning, Text: p.CounterArgument, Reason: p.AlternativeProposal, Target: p.TargetSignalID}.after("")
	case signals.Vote:
		return Line{Form: "vote", About: Vote, Tone: tones[p.Stance], Text: p.Reasoning, Proposal: p.ProposalID, Stance: p.Stance, Weight: p.Weight}.
			words(func(func(signals.ID) string) string {
				return fmt.Sprintf("%s %s (%.2f): %s", p.Stance, p.ProposalID, p.Weight, p.Reasoning)
			})
	case signals.Escalation:
		return Line{Form: "escalation", About: Person, Tone: Bad, Text: p.Reason, Reason: p.Context}.after("")
	case signals.Memory:
		return Line{Form: "memory", About: Argument, Tone: Fact, Text: p.Content, Reason: p.Category}.after(p.Category + ": ")
	case signals.ToolResult:
		return Line{
			Form: "tool", About: Argument, Tone: Fact, By: p.TriggeredBy, Text: p.Result, Reason: p.ToolName, Failed: p.IsError, Milliseconds: p.DurationMs,
		}.after(p.ToolName + ": ")
	case signals.Retraction:
		return retraction(s.Head(), p)
	case routing.UserMessage:
		return Line{Form: "note", About: Person, Tone: Strong, Text: p.Text}.after("")
	case agents.Passed:
		return Line{Form: "passed", Text: p.Reason}
	case agents.Fallback:
		return record("fallback", Warning, s.Head().Source, p)
	case asking.Call:
		return Line{Form: "escalation", About: Person, Tone: Bad, By: p.Agent, Text: p.String()}
	case asking.Answer:
		return Line{Form: "answer", About: Person, Tone: Fact, Text: p.String()}
	case runlog.Began:
		if p.Debate.Round > 0 {
			return Line{Form: "round", Text: "Debate", Reason: p.Debate.String()}
		}
		return Line{Form: "round", Text: fmt.Sprintf("Round %d", s.Head().Round)}
	case signals.Conflict:
		return Line{Form: "conflict", Tone: Bad, Text: p.Description, Rivals: [2]signals.ID{p.SignalA, p.SignalB}}
	case conflict.Resolution:
		return resolution(p)
	case coordination.Transition:
		return Line{}.words(func(called func(signals.ID) string) string {
			var all []string
			for _, id := range p.Signals {
				all = append(all, called(id))
			}
			return fmt.Sprintf("%s: %s", p.State, strings.Join(all, "; "))
		})
	case signals.Consensus:
		return Line{Form: "consensus", Tone: Good, Text: p.Decision, Proposal: p.ProposalID}.after(p.ProposalID + ": ")
	case claims.Written:
		return Line{Text: p.Text}.words(func(func(signals.ID) string) string {
			if p.Why != "" {
				return "by the template: " + p.Why
			}
			return "by " + p.By
		})
	case runlog.Late:
		return record("late", Warning, p.Agent, p)
	case runlog.Failed:
		return record("failed", Bad, p.Agent, p)
	case runlog.Refused:
		return record("", Bad, p.Agent, p)
	case settle.Unpaid:
		return record("", Warning, p.Agent, p)
	case runlog.Member:
		return record("", Quiet, p.Agent, p)
	case runlog.Same:
		return Line{Form: "same", Text: p.ProposalID + " is the same as " + p.As, Proposal: p.ProposalID, As: p.As}
	case runlog.Opened:
		return record("terms", Quiet, "", p)
	case runlog.Decided:
		return Line{Form: "decided", Tone: Good, Text: p.String(), Reason: p.Detail}.after("")
	case runlog.Answered:
		return Line{Form: "answer", About: Person, Tone: Fact, Text: "answered by " + p.By, Target: p.AnswerID}
	case runlog.Outcome:
		return Line{Form: "outcome", Tone: Fact, Text: p.String(), Proposal: p.ProposalID}
	case fmt.Stringer:
		if n := coordination.NoteOf(s); n != nil {
			return Line{Form: "note", About: Argument, Text: n.Summary, Reason: n.Details, Class: n.Class.String()}.words(func(func(signals.ID) string) string { return p.String() })
		}
		return Line{Text: p.String()}
	default:
		return Line{}.words(func(func(signals.ID) string) string { return inWords(p) })
	}
}

func retraction(h signals.Header, p signals.Retraction) Line {
	l := Line{Form: "note", About: Argument, Tone: Warning, Text: "Takes back what was said", Reason: p.Reason, Class: string(signals.KindRetraction), Target: p.TargetSignalID}
	whose := ""
	if p.By != "" {
		whose = " for " + p.By
		if h.Source == bus.System { // in the name of the operator
			l.By, l.About = p.By, Person
		}
	}
	return l.words(func(called func(signals.ID) string) string {
		return fmt.Sprintf("takes back %s%s: %s", called(p.TargetSignalID), whose, p.Reason)
	})
}

func resolution(p conflict.Resolution) Line {
	l := Line{Form: "settled", Tone: Good, Text: string(p.How), Reason: p.Reason, Rivals: [2]signals.ID{p.SignalA, p.SignalB}, How: p.How, Winner: p.Winner}
	return l.words(func(called func(signals.ID) string) string {
		what := "resolved"
		if p.How != "" {
			what += fmt.Sprintf(" by %s", p.How)
		}
		if !p.Winner.IsZero() {
			what += " for " + called(p.Winner)
		}
		return what + ": " + p.Reason
	})
}

// attached returns the background of a task with the names of its files.
func attached(p signals.Task) string {
	all := p.Context
	for _, f := range p.Attachments.All() {
		all = strings.TrimPrefix(fmt.Sprintf("%s\nattached: %q (%s, %d bytes)", all, f.Name, f.Type, len(f.Data)), "\n")
	}
	return all
}

func join(what, why string) string {
	if why == "" {
		return what
	}
	return what + " — " + why
}
