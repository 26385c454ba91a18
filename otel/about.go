package otel

import (
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/said"
)

// maxMentions is the maximum number of signals that one attribute lists.
const maxMentions = 50

// mention describes a signal briefly: its position in the log, kind, subject
// and source.
func (o *Observer) mention(s signals.Any) string {
	h := s.Head()
	what := o.kind(s.Kind())
	switch p := s.Body().(type) {
	case signals.Proposal:
		what += " " + o.proposal(p.ProposalID)
	case signals.Vote:
		what += ": " + p.Stance.String() + " " + o.proposal(p.ProposalID)
	}
	return place{seq: h.Seq, kind: what, source: h.Source}.String()
}

// String describes the signal without its subject.
func (p place) String() string {
	return "#" + strconv.FormatUint(p.seq, 10) + " " + p.kind + " by " + p.source
}

// message returns the attributes that the spans of one signal share.
func (o *Observer) message(name, operation, kind string, h *signals.Header, at trace.SpanContext) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 0, 20) // including those of the deliveries
	all = append(all,
		keySystem.String(system), keyOperation.String(name), keyType.String(operation), keyDestination.String(kind),
		keyMessage.String(o.signal(h.ID)), keySeq.Int64(int64(h.Seq)), keyRound.Int(int(h.Round)))
	if thread := o.name("thread", h.Thread); thread != "" {
		all = append(all, keyConversation.String(conversation(thread, at)), keyThread.String(thread))
	}
	return all
}

// about adds a published signal's attributes that concern a decision, whether
// or not content is recorded: source, subject and weight, but not the reason.
// The caller holds the lock of the places.
func (w *watch) about(all []attribute.KeyValue, s signals.Any, h *signals.Header, answered place) []attribute.KeyValue {
	all = append(all, keySource.String(h.Source), keyConfidence.Float64(h.Confidence))
	if answered.seq > 0 {
		all = append(all, keyReplyTo.String(answered.String()))
	}
	l := said.Of(s)
	if l.Proposal != "" {
		all = append(all, keyProposal.String(w.proposal(l.Proposal)))
	}
	if l.Stance != 0 {
		all = append(all, keyStance.String(l.Stance.String()), keyWeight.Float64(l.Weight))
	}
	if !l.Target.IsZero() {
		all = append(all, keyTarget.String(w.mentioned(l.Target)))
	}
	if l.Severity != "" {
		all = append(all, keySeverity.String(l.Severity))
	}
	if l.How != "" {
		all = append(all, keyHow.String(w.how(l.How)))
	}
	if !l.Rivals[1].IsZero() {
		all = append(all, keyRivals.StringSlice([]string{w.mentioned(l.Rivals[0]), w.mentioned(l.Rivals[1])}))
	}
	if !l.Winner.IsZero() {
		all = append(all, keyWinner.String(w.mentioned(l.Winner)))
	}
	if l.Agent != "" {
		all = append(all, keyAgentName.String(l.Agent))
	}
	if l.As != "" {
		all = append(all, keySameAs.String(w.proposal(l.As)))
	}
	if p, ok := signals.As[signals.Escalation](s); ok {
		all = append(all, w.asks(p)...)
	}
	if w.content != nil {
		all = append(all, keyContent.String(w.capture(s)))
	}
	return all
}

// mentioned returns the name by which others refer to a signal, or its id.
func (w *watch) mentioned(id signals.ID) string {
	if p := w.places.of(id); p.seq > 0 {
		return p.String()
	}
	return w.signal(id)
}

// asks returns the attributes of an escalation. An agent's reason is content.
func (o *Observer) asks(s *signals.Signal[signals.Escalation]) []attribute.KeyValue {
	switch {
	case o.content != nil:
		return []attribute.KeyValue{keyReason.String(clip(o.content(s.Kind(), "reason", s.Payload.Reason)))}
	case s.Source == bus.System:
		return []attribute.KeyValue{keyReason.String(o.stalemate(s.Payload.Reason))}
	}
	return nil
}
