package transcript

import (
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals/retract"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// takenBack says what is taken back, and why.
func (t *text) takenBack(p retract.Retraction) string {
	what := p.TargetSignalID.String()
	if seq, known := t.seqs[p.TargetSignalID]; known {
		what = fmt.Sprintf("[%d]", seq)
	}
	if p.By != "" {
		what += " for " + p.By
	}
	return fmt.Sprintf("takes back %s: %s", what, p.Reason)
}

// retracted shows what was taken back, and the votes that fell with it.
func (t *text) retracted(r *solves.Result) {
	for i, s := range r.Retracted {
		title := t.paint(bold, "Retracted")
		if i > 0 {
			title = "         "
		}
		t.line("%s %s", title, t.said(fmt.Sprintf("[%d] %s %s", s.Seq, s.Source, t.takenBack(s.Payload))))
	}
	for _, v := range r.Fallen {
		t.line("          %s", t.paint(faint, t.said(fmt.Sprintf("so the vote [%d] of %s on %s does not count", v.Seq, v.Source, v.Payload.ProposalID))))
	}
}

// Revised says in one line whether what was taken back after a decision changes it.
func Revised(r *solves.Revision, before consensus.Decision) string {
	if !r.Changed {
		return "The decision stays without what was taken back after it: " + Printable(verdict(r.Decision))
	}
	return fmt.Sprintf("Without what was taken back after it, the decision changes: %s (it was %s)", Printable(verdict(r.Decision)), Printable(chosen(before)))
}

// chosen returns the outcome of a decision and what it chose.
func chosen(d consensus.Decision) string {
	if d.Choice == "" {
		return d.Outcome.String()
	}
	return fmt.Sprintf("%s %q", d.Outcome, d.Choice)
}
