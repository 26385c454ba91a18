package transcript

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// How much of the claims of a result is shown.
const (
	mostCases  = 16 // proposals, in JSON
	mostClaims = 32 // of a proposal, in JSON
	fewCases   = 4  // proposals, in text
	fewClaims  = 3  // of a proposal and sort, in text
)

// A caseLine is what speaks for and against a proposal; signals are their places in the log.
type caseLine struct {
	ProposalID string   `json:"proposalId"`
	For        []uint64 `json:"for,omitempty"`        // findings
	Against    []uint64 `json:"against,omitempty"`    // findings
	Objections []uint64 `json:"objections,omitempty"` // doubts and challenges
	Votes      int      `json:"votes"`                // for it
	Opposed    int      `json:"opposed"`              // votes against it
}

func casesOf(r *solves.Result) (all []caseLine) {
	for _, c := range r.Claims().Cases() {
		if len(all) == mostCases {
			break
		}
		all = append(all, caseLine{c.Proposal.Proposal, places(c.For), places(c.Against), places(c.Objections), c.Votes, c.Opposed})
	}
	return all
}

// placesOf returns the places of signals in the log.
func placesOf[P signals.Payload](all []*signals.Signal[P]) (seqs []uint64) {
	for _, s := range all {
		seqs = append(seqs, s.Seq)
	}
	return seqs
}

func places(all []claims.Claim) (seqs []uint64) {
	for _, c := range all[:min(len(all), mostClaims)] {
		seqs = append(seqs, c.Seq)
	}
	return seqs
}

// claims shows the findings and objections about proposals, those about the choice first.
func (t *page) claims(r *solves.Result) {
	var cases []claims.Case
	for _, c := range r.Claims().Cases() {
		switch {
		case len(c.For)+len(c.Against)+len(c.Objections) == 0:
		case c.Proposal.Proposal == r.Decision.Choice:
			cases = append([]claims.Case{c}, cases...)
		default:
			cases = append(cases, c)
		}
	}
	for i, c := range cases {
		title := t.paint(bold, "Claims")
		if i > 0 {
			title = "      "
		}
		if i == fewCases {
			t.line("      %s", t.paint(faint, fmt.Sprintf("    and about %d more proposals", len(cases)-i)))
			return
		}
		t.line("%s    %s", title, t.said(summary(c)))
		t.claim(green, "for", c.For)
		t.claim(red, "against", c.Against)
		t.claim(amber, "objection", c.Objections)
	}
}

// claim shows the first claims of a sort.
func (t *page) claim(as style, sort string, all []claims.Claim) {
	for i, c := range all {
		if i == fewClaims {
			t.line("          %s", t.paint(faint, fmt.Sprintf("and %d more", len(all)-i)))
			return
		}
		t.line("          %s  %s", t.paint(as, pad(sort, len("objection"))), t.said(c.String()))
	}
}

// summary counts what speaks for and against a proposal.
func summary(c claims.Case) string {
	line := fmt.Sprintf("%s: for it %s", c.Proposal.Proposal, counts(c.Votes, "vote", len(c.For), "finding"))
	if c.Contested() {
		line += "; against it " + counts(c.Opposed, "vote", len(c.Against), "finding", len(c.Objections), "objection")
	}
	return line
}

// counts lists pairs of a number and a noun, without those of 0.
func counts(pairs ...any) string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		switch n := pairs[i].(int); n {
		case 0:
		case 1:
			all = append(all, fmt.Sprintf("1 %s", pairs[i+1]))
		default:
			all = append(all, fmt.Sprintf("%d %ss", n, pairs[i+1]))
		}
	}
	if all == nil {
		return "nothing"
	}
	return strings.Join(all, ", ")
}
