package otel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// reason is why a solve stopped, in words: the result's own, as far as they
// quote nobody.
func (o *Observer) reason(r *swarm.Result) string {
	by := ""
	if r.Question != nil {
		by = "escalated by " + r.Question.Asks + ": "
	}
	if o.content != nil {
		return clip(o.content("", "reason", by+r.Detail))
	}
	for _, u := range r.Decision.Uncounted() {
		o.id(u.ProposalID) // so that it is known where a reason quotes it
	}
	votes := r.Decision.Reason()
	switch {
	case r.Stop == swarm.StopEscalated && r.Question != nil && r.Question.Asks == bus.System:
		return o.system(by + r.Question.Reason + ": " + votes + o.facts(r))
	case r.Stop == swarm.StopEscalated:
		return o.system(by + votes + o.facts(r))
	case r.Stop == swarm.StopCancelled, r.Stop == swarm.StopError:
		return o.system(r.Stop.String() + ": " + votes + o.facts(r))
	case r.Turns.Refused+len(r.Failed) > 0:
		why, _, _ := strings.Cut(o.ids.quote(r.Detail), "; ") // errors are behind it
		return o.system(why + o.facts(r))
	}
	return o.system(r.Detail)
}

// maxFacts is as many of one sort as a reason names.
const maxFacts = 3

// facts are what the result's own words say beside the reason, without what
// they quote.
func (o *Observer) facts(r *swarm.Result) string {
	var votes, failed, late, refused []string
	for _, u := range r.Decision.Uncounted() {
		if u.Cause != consensus.Superseded { // the voter's own doing
			votes = append(votes, fmt.Sprintf("%s voted on %q, which does not count: %s", u.Voter, o.id(u.ProposalID), u.Cause))
		}
	}
	for _, f := range r.Failed {
		failed = append(failed, swarm.Failed{Agent: f.Agent, Round: f.Round, Reason: errorType(f.Err)}.String())
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

// refusal is why a signal was refused: the rule, in fixed words and numbers,
// and with content what the error says.
func (o *Observer) refusal(err error) string {
	if o.content != nil {
		return o.describe("", err)
	}
	return clip(rule(err))
}

// rule is the rule that an error of a bus or a swarm is about, "" for others'.
func rule(err error) string {
	var field *signals.FieldError
	var permission *bus.PermissionError
	var proposal *bus.ProposalError
	var limit *bus.LimitError
	switch {
	case errors.As(err, &field) && (field.Kind == "" || field.Kind.BuiltIn()): // others check as they like
		return field.Field + ": " + field.Problem
	case errors.As(err, &permission):
		why, _, _ := strings.Cut(permission.Reason, ": ") // before whose source it is said to be
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
