package claims

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// few is how many of a sort are named.
const few = 3

// A Brief is what an answer is written from.
type Brief struct {
	Task     string
	Decision consensus.Decision
	Graph    *Graph
	Open     []conflict.Pair // conflicts that nothing has settled
	Log      []signals.Any
	Lost     []consensus.Vote // for what lost a conflict, of voters who have not changed their minds
}

// subject returns the case of what is chosen, or else of the leader.
func (b *Brief) subject() (c Case, chosen, ok bool) {
	id := b.Decision.Choice
	if chosen = id != ""; !chosen {
		id = b.Decision.Leader()
	}
	for _, c := range b.Graph.Cases() {
		if id != "" && c.Proposal.Proposal == id {
			return c, chosen, true
		}
	}
	return c, false, false
}

// Text returns the answer by the template. What agents said is quoted on one line, as [Brief.Check]
// accepts it: shortened, with no characters that no reader sees, and with "(3)" for "[3]".
func (b *Brief) Text() string {
	c, chosen, ok := b.subject()
	if !ok {
		return "There is no answer: no proposal leads."
	}
	verb := "The answer is"
	if !chosen {
		verb = "Nothing is decided; what leads is"
	}
	lines := []string{b.support(c), b.dissent(c)}
	for _, p := range b.Open[:min(len(b.Open), few)] {
		lines = append(lines, fmt.Sprintf("Open is a conflict: %s against %s.", b.side(p.A), b.side(p.B)))
	}
	rest := strings.Join(compact(append(lines, b.changes(c))), "\n")
	answer := quoted(b.whole(c.Proposal), MaxAnswer-len(rest)-len("Nothing is decided; what leads is:  [18446744073709551615].\n"))
	return strings.TrimSpace(fmt.Sprintf("%s: %s [%d].\n%s", verb, answer, c.Proposal.Seq, rest))
}

// whole returns the text of a proposal, of which the claim has the beginning.
func (b *Brief) whole(c Claim) string {
	for _, s := range b.Log {
		if p, ok := signals.As[signals.Proposal](s); ok && p.ID == c.ID {
			return p.Payload.Content
		}
	}
	return c.Text
}

func compact(lines []string) (all []string) {
	for _, l := range lines {
		if l != "" {
			all = append(all, l)
		}
	}
	return all
}

// support says what speaks for the answer. What voters had found and have not named as a reason is
// no such thing: their votes stand without it.
func (b *Brief) support(c Case) string {
	var all, had []string
	for _, f := range c.For {
		if b.bears(f) {
			all = append(all, cited(f))
		} else {
			had = append(had, cited(f))
		}
	}
	all, had = all[:min(len(all), few)], had[:min(len(had), few)]
	switch {
	case len(all) > 0:
		return fmt.Sprintf("It stands on %s; %s.", strings.Join(all, "; "), votes(c.Votes))
	case len(had) > 0:
		return fmt.Sprintf("No finding is named for it; %s, of voters who had found %s.", votes(c.Votes), strings.Join(had, "; "))
	case c.Votes > 0:
		return fmt.Sprintf("No finding is named for it; %s [%d].", votes(c.Votes), c.Proposal.Seq)
	}
	return ""
}

// bears reports whether something would fall or be weakened without a finding.
func (b *Brief) bears(f Claim) bool {
	effect, err := b.Graph.Without(f.ID)
	return err == nil && len(effect.Fall)+len(effect.Weaken) > 1 // it falls itself
}

func votes(n int) string {
	if n == 1 {
		return "1 vote is for it"
	}
	return fmt.Sprintf("%d votes are for it", n)
}

// dissent says what speaks against it most: of the votes against it the one that weighs most, else
// of those for others, else the newest objection, else the newest finding.
func (b *Brief) dissent(c Case) string {
	var most consensus.Vote
	for _, v := range append(b.Decision.Dissent(), b.Lost...) {
		against, was := v.Stance == consensus.Disagree, most.Stance == consensus.Disagree
		if v.Reasoning != "" && (against && !was || against == was && v.Weight > most.Weight) {
			most = v
		}
	}
	against := append(append([]Claim(nil), c.Against...), c.Objections...)
	switch n := len(against); {
	case most.Seq > 0:
		return fmt.Sprintf("Against it is %s%s: %s [%d].", part(most.Voter), b.instead(most), part(most.Reasoning), most.Seq)
	case n > 0:
		return fmt.Sprintf("Against it is %s: %s [%d].", part(against[n-1].Source), part(against[n-1].Text), against[n-1].Seq)
	}
	return ""
}

// instead says what a vote against the answer is for, if it is for another one.
func (b *Brief) instead(v consensus.Vote) string {
	for _, c := range b.Graph.Cases() {
		if v.Stance == consensus.Agree && c.Proposal.Proposal == v.ProposalID {
			return ", for " + cited(c.Proposal)
		}
	}
	return ""
}

// changes says what would change it: the finding without which the fewest votes for it count.
func (b *Brief) changes(c Case) string {
	var on Claim
	most, all := 0, 0
	for _, f := range c.For {
		if n, of := b.fallen(c, f); n > most {
			on, most, all = f, n, of
		}
	}
	switch most {
	case 0:
		return ""
	case all:
		return fmt.Sprintf("It would change without [%d]: every vote for it rests on that.", on.Seq)
	}
	return fmt.Sprintf("Of %d votes for it, %d would not count without [%d].", all, most, on.Seq)
}

// fallen returns how many of the votes for a proposal, and of how many, do not count without
// a finding.
func (b *Brief) fallen(c Case, f Claim) (n, of int) {
	effect, err := b.Graph.Without(f.ID)
	if err != nil {
		return 0, 0
	}
	falls := map[uint64]bool{}
	for _, claim := range effect.Fall {
		falls[claim.Seq] = claim.Kind == signals.KindVote || falls[claim.Seq]
	}
	for v := range b.Decision.Ballots().Votes() {
		if v.ProposalID == c.Proposal.Proposal && v.Stance == consensus.Agree {
			of++
			if falls[v.Seq] {
				n++
			}
		}
	}
	return n, of
}

// side cites a proposal in conflict, by the place of the first of equal ones.
func (b *Brief) side(p conflict.Proposal) string {
	if c, err := b.Graph.claim(p.Signal); err == nil {
		return cited(c)
	}
	return fmt.Sprintf("%s [%d]", part(p.Content), p.Seq)
}

func cited(c Claim) string { return fmt.Sprintf("%s [%d]", part(c.Text), c.Seq) }

// part returns a quotation in a sentence.
func part(s string) string { return quoted(s, maxText) }

// quoted returns a text on one line, as a part of a sentence that cites, of at most so many bytes.
func quoted(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, s)
	return strings.TrimRight(text.Fit(citation.ReplaceAllString(text.Line(s), "($1)"), most), ".")
}
