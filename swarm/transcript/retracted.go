package transcript

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// takenBack says what is taken back, where, by whom and why.
func (t *page) takenBack(s *signals.Signal[signals.Retraction]) string {
	what, _ := t.describe(s)
	return fmt.Sprintf("[%d] %s %s", s.Seq, s.Source, what)
}

// retracted shows what was taken back, and the votes that fell with it, but for what [Revised] has.
func (t *page) retracted(r *solves.Result) {
	before := r.Retracted
	if r.Revision != nil {
		before = before[:max(0, len(before)-len(r.Revision.Said))]
	}
	if len(before) == 0 {
		return
	}
	for i, s := range before {
		title := t.paint(bold, "Retracted")
		if i > 0 {
			title = "         "
		}
		t.line("%s %s", title, t.said(t.takenBack(s)))
	}
	for _, v := range r.Fallen {
		t.line("          %s", t.paint(faint, t.said(fmt.Sprintf("so the vote [%d] of %s on %s does not count", v.Seq, v.Source, v.Payload.ProposalID))))
	}
}

// Revised says what was taken back after a solve was decided, who said so and why, and whether
// the decision changes without it; "" if nothing was.
func Revised(r *solves.Result) string {
	if r.Revision == nil {
		return ""
	}
	t := &page{seqs: map[signals.ID]uint64{}}
	for _, s := range r.Log {
		t.seqs[s.Head().ID] = s.Head().Seq
	}
	var all []string
	for _, s := range r.Revision.Said {
		all = append(all, text.Printable("Retracted "+t.takenBack(s)))
	}
	all = append(all, "          The votes and claims of the decision still count what was taken back; the answer as a text and the credit do not.", changes(r.Revision, r.Decision))
	return strings.Join(all, "\n")
}

// changes says in one line whether what was taken back after a decision changes it.
func changes(r *solves.Revision, before consensus.Decision) string {
	switch {
	case r.Changed && r.Decision.Choice == "":
		return fmt.Sprintf("Without what was taken back after it, the decision falls: %s (it was %s)", text.Printable(verdict(r.Decision)), text.Printable(chosen(before)))
	case r.Changed:
		return fmt.Sprintf("Without what was taken back after it, the decision changes: %s (it was %s)", text.Printable(verdict(r.Decision)), text.Printable(chosen(before)))
	case before.Outcome == consensus.Pending:
		return "Nothing was decided, and nothing is without what was taken back later: " + text.Printable(verdict(r.Decision))
	}
	return "The decision stays without what was taken back after it: " + text.Printable(verdict(r.Decision))
}

// written shows the answer as somebody was asked to write it.
func (t *page) written(r *solves.Result) {
	for _, s := range r.Log {
		if w, ok := signals.As[claims.Written](s); ok {
			for line := range strings.Lines(w.Payload.Text) {
				t.whole("          %s", t.said(strings.TrimSpace(line)))
			}
		}
	}
}

// chosen returns the outcome of a decision and what it chose.
func chosen(d consensus.Decision) string {
	if d.Choice == "" {
		return d.Outcome.String()
	}
	return fmt.Sprintf("%s %q", d.Outcome, d.Choice)
}
