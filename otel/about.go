package otel

import (
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
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
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		all = append(all, keyProposal.String(w.proposal(s.Payload.ProposalID)))
	case *signals.Signal[signals.Vote]:
		v := &s.Payload
		all = append(all, keyProposal.String(w.proposal(v.ProposalID)), keyStance.String(v.Stance.String()), keyWeight.Float64(v.Weight))
	case *signals.Signal[signals.Doubt]:
		all = append(all, keyTarget.String(w.mentioned(s.Payload.TargetSignalID)), keySeverity.String(s.Payload.Severity.String()))
	case *signals.Signal[signals.Challenge]:
		all = append(all, keyTarget.String(w.mentioned(s.Payload.TargetSignalID)))
	case *signals.Signal[signals.Conflict]:
		all = append(all, keyRivals.StringSlice([]string{w.mentioned(s.Payload.SignalA), w.mentioned(s.Payload.SignalB)}))
	case *signals.Signal[conflict.Resolution]:
		all = append(all, keyHow.String(w.how(s.Payload.How)), keyRivals.StringSlice([]string{w.mentioned(s.Payload.SignalA), w.mentioned(s.Payload.SignalB)}))
		if winner := s.Payload.Winner; !winner.IsZero() {
			all = append(all, keyWinner.String(w.mentioned(winner)))
		}
	case *signals.Signal[signals.Consensus]:
		all = append(all, keyProposal.String(w.proposal(s.Payload.ProposalID)))
	case *signals.Signal[signals.Escalation]:
		all = append(all, w.asks(s)...)
	case *signals.Signal[runlog.Late]:
		all = append(all, keyAgentName.String(s.Payload.Agent))
	case *signals.Signal[runlog.Failed]:
		all = append(all, keyAgentName.String(s.Payload.Agent))
	case *signals.Signal[runlog.Refused]:
		all = append(all, keyAgentName.String(s.Payload.Agent))
	case *signals.Signal[settle.Unpaid]:
		all = append(all, keyAgentName.String(s.Payload.Agent))
	case *signals.Signal[runlog.Same]:
		all = append(all, keyProposal.String(w.proposal(s.Payload.ProposalID)), keySameAs.String(w.proposal(s.Payload.As)))
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
