package otel

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// reason explains why a solve stopped. With content it is the result's own text.
// Without content it is composed of the numbers and names in the result, and no
// text that may quote an agent is searched for names to replace.
func (o *Observer) reason(r *solves.Result) string {
	by := ""
	if r.Stop == runlog.StopEscalated && r.Question != nil {
		by = "escalated by " + r.Question.Asks + ": "
	}
	if o.content != nil {
		return clip(o.content("", "reason", by+r.Sentence(nil)))
	}
	why := o.votes(&r.Decision)
	switch r.Stop {
	case runlog.StopConsensus, runlog.StopRejected, runlog.StopDeadlock, runlog.StopUncertified, runlog.StopSettled, runlog.StopContested, runlog.StopAnswered:
	case runlog.StopEscalated:
		if r.Question != nil && r.Question.Asks == bus.System {
			by += o.stalemate(r.Question.Reason) + ": "
		}
		why = by + why
	case runlog.StopCancelled, runlog.StopAbandoned, runlog.StopError, runlog.StopAsked:
		why = r.Stop.String() + ": " + why
	case runlog.StopNoProgress:
		why = limit(r.Detail)
	default:
		why = limit(r.Detail) + ": " + why
	}
	return clip(why + o.facts(r))
}

// votes explains the state of the votes.
func (o *Observer) votes(d *consensus.Decision) string {
	if o.content != nil {
		return clip(o.content("", "reason", d.Sentence(nil)))
	}
	return clip(d.Sentence(o.names.show))
}

// limit returns the beginning of the detail of a solve that reached a limit: the
// swarm's own words, before anything that they may be followed by.
func limit(detail string) string {
	if end := strings.IndexAny(detail, ":;"); end >= 0 {
		detail = detail[:end]
	}
	return detail
}

// conflicting matches the reason with which a swarm escalates a conflict.
var conflicting = regexp.MustCompile(`^proposals (\S+) and (\S+) cannot both stand$`)

// stalemate returns the reason with which a swarm escalates a conflict. A program
// that holds the system's handle can publish any escalation in its name, so no other
// text is repeated, and no id that is not an identifier.
func (o *Observer) stalemate(reason string) string {
	ids := conflicting.FindStringSubmatch(reason)
	if ids == nil {
		return "proposals cannot both stand"
	}
	return fmt.Sprintf("proposals %s and %s cannot both stand", o.proposal(ids[1]), o.proposal(ids[2]))
}

// maxFacts is the number of facts of one sort in a reason.
const maxFacts = 3

// facts lists the votes that do not count, refused signals, and turns that failed
// or were late.
func (o *Observer) facts(r *solves.Result) string {
	var votes, failed, late, refused []string
	for _, u := range r.Decision.Uncounted() {
		if u.Cause != consensus.Superseded { // the voter's own doing
			votes = append(votes, fmt.Sprintf("%s voted on %q, which does not count: %s", u.Voter, o.proposal(u.ProposalID), u.Cause))
		}
	}
	for _, f := range r.Failed {
		failed = append(failed, runlog.Failed{Agent: f.Agent, Round: f.Round, Reason: errorType(f.Err)}.String())
	}
	for _, l := range r.Late {
		late = append(late, l.String())
	}
	if n := r.Turns.Refused; n > 0 {
		refused = []string{fmt.Sprintf("signals refused: %d", n)}
	}
	var text strings.Builder
	for _, sort := range [][]string{votes, refused, failed, late} {
		for i, fact := range sort {
			if i == maxFacts {
				fmt.Fprintf(&text, "; and %d more", len(sort)-maxFacts)
				break
			}
			text.WriteString("; " + fact)
		}
	}
	return text.String()
}

// refusal explains why a signal was refused: with content the text of the error,
// otherwise the rule.
func (o *Observer) refusal(of signals.Any, err error) string {
	if o.content != nil {
		return o.describe("", err)
	}
	return clip(rule(of, err))
}

// rule returns the rule of a bus or a swarm that was broken, in fixed words and
// numbers, or "" for an error of another package. A payload of a kind that is not built
// in may choose its own words, whatever kind its error claims.
func rule(of signals.Any, err error) string {
	var field *signals.FieldError
	var permission *bus.PermissionError
	var proposal *conflict.ProposalError
	var limit *bus.LimitError
	switch {
	case errors.As(err, &field) && field.Kind.BuiltIn() && of != nil && field.Kind == of.Kind():
		return field.Field + ": " + field.Problem
	case field != nil && field.Kind == "" && field.Field == "type":
		return "type: not the name of a kind"
	case errors.As(err, &permission):
		why, _, _ := strings.Cut(permission.Reason, ": ") // without the name of the claimed source
		return why
	case errors.As(err, &proposal):
		return "the proposal id belongs to another proposal, by " + proposal.Owner
	case errors.As(err, &limit):
		return limit.Problem
	}
	for sentinel := range sorts {
		if errors.Is(err, sentinel) {
			return sentinel.Error()
		}
	}
	return ""
}
