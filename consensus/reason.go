package consensus

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
)

// String describes the decision in one line: its [Decision.Sentence], and beside it who is not of the choice and what
// is known of the voters. Names are quoted, so that they cannot break the line or a
// terminal. The wording may change.
func (d Decision) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", d.Strategy, d.Sentence(nil))
	r := d.from.record()
	if n := len(d.dissent(r)); n > 0 {
		fmt.Fprintf(&b, "; %s in dissent", text.Plural(n, "vote"))
	}
	left := 0
	for _, u := range r.uncounted {
		left += u.Votes
	}
	if left > 0 {
		fmt.Fprintf(&b, "; %s not counted", text.Plural(left, "vote"))
	}
	if said := d.Firmness(); said != "" {
		fmt.Fprintf(&b, "; %s", said)
	}
	return b.String()
}

// Firmness says what [Decision.Falls] and [Decision.Worth] do, in one line, or "" if neither is filled in. The wording
// may change.
func (d Decision) Firmness() string {
	var all []string
	if spoke, _ := d.Ballots().Spoke(); len(d.Falls) > 0 {
		all = append(all, fmt.Sprintf("falls if %d of %d change: %s", len(d.Falls), spoke, text.Printable(strings.Join(text.AtMost(d.Falls), ", "))))
	}
	if d.Worth != nil {
		all = append(all, d.Worth.String())
	}
	return strings.Join(all, "; ")
}

// Sentence says the decision in one line, as every place that shows one does: the outcome and the choice, why, how
// many voted beside the quorum, and how probable it is that the choice is right, or that nothing is. Nothing in it is
// 100 %. Of a decision that was read without its ballots it leaves out what only these tell. Proposals are called what show
// returns for their ids, for readers who may not see what agents choose; nil: by these. The wording may change.
func (d Decision) Sentence(show func(id string) string) string {
	if show == nil {
		show = func(id string) string { return id }
	}
	d.spoken = true
	said := d.Outcome.String()
	if d.Outcome == Pending {
		said = "open"
	}
	if d.Choice != "" {
		said += " " + strconv.Quote(show(d.Choice))
	}
	said += ": " + d.reasonWith(show)
	if quorum := d.from.known().quorum; d.from.terms != nil && d.Voters >= quorum {
		said += fmt.Sprintf("; %d voted, the quorum is %d", d.Voters, quorum)
	}
	if sure := d.sure(); sure != "" {
		said += "; " + sure
	}
	if note := text.Printable(d.Note); note != "" {
		said += "; " + note
	}
	return said
}

// sure says how probable it is that the leader is right, or that none of the proposals is; "" where nothing can be said
// or the reason says it.
func (d *Decision) sure() string {
	about := "it is right"
	switch {
	case d.Voters == 0 || d.Voters < d.from.known().quorum || d.Outcome == BySettlement || len(d.Leaders) > 1:
		return ""
	case d.Outcome == Rejected || len(d.Leaders) == 0 && d.Choice == "":
		about = "none of these is right"
	}
	from := "by the votes alone"
	if d.Learned {
		from = "by what is known of the voters"
	}
	return fmt.Sprintf("%s that %s, %s", probability(d.Confidence), about, from)
}

// probability formats a probability, of which none is certain.
func probability(p float64) string {
	switch {
	case p > 0.99:
		return "over 99 %"
	case p < 0.01:
		return "under 1 %"
	}
	return strconv.FormatFloat(100*p, 'f', 0, 64) + " %"
}

// Reason explains the outcome in a sentence, without a full stop. The wording may change.
func (d Decision) Reason() string { return d.reasonWith(func(id string) string { return id }) }

// reasonWith is Reason with each proposal's id replaced by what show returns for it.
func (d Decision) reasonWith(show func(id string) string) string {
	t := d.from.known()
	link, because := ", ", ""
	if d.Because != "" {
		because = "; " + text.Printable(d.Because)
		link = because + "; "
	}
	switch {
	case d.Outcome == Reached:
		return fmt.Sprintf("%s%s%s%s", d.agreeing(show), link, d.supported(0), d.needed())
	case d.Outcome == Rejected:
		return "more is against every proposal than for it" + d.disagreeing(show) + because
	case d.Outcome == Uncertified:
		return d.uncertified(show) + because
	case d.Outcome == Answered:
		return fmt.Sprintf("the answer of %s alone, which is no consensus%s", text.Printable(d.By), because)
	case d.Outcome == BySettlement:
		return fmt.Sprintf("settled by %s, with a probability of %s: %s%s%s%s", text.Printable(d.By), d.probably(), d.agreeing(show), link, d.supported(t.threshold), d.needed())
	case d.Outcome == Contested:
		return fmt.Sprintf("%s%s%s%s; %s", d.agreeing(show), d.rival(show), link, d.supported(0), text.Printable(d.Lacks))
	case d.Voters == 0 && t.quorum > 0:
		return fmt.Sprintf("no one has voted; the quorum is %d", t.quorum)
	case d.Voters < t.quorum:
		return fmt.Sprintf("%s voted; the quorum is %d", have(d.Voters), t.quorum)
	case len(d.Leaders) == 0:
		return fmt.Sprintf("none of %s agrees with any proposal", text.Plural(d.Voters, "voter"))
	case len(d.Leaders) > 1:
		return fmt.Sprintf("%s are tied, %s each", d.leading(show), d.supported(0))
	case d.Support >= t.threshold && d.opposed():
		return fmt.Sprintf("%s, but no more is for %s than against it", d.agreeing(show), d.leading(show))
	default:
		return fmt.Sprintf("%s%s%s%s", d.agreeing(show), link, d.supported(t.threshold), d.needed())
	}
}

// needed returns the support that a decision needs, in words; "" where the most suffices.
func (d *Decision) needed() string {
	t := d.from.known()
	switch {
	case d.from.terms == nil || t.threshold <= Plurality:
		return ""
	case t.threshold >= 1 && d.spoken:
		return "; all is needed"
	}
	return fmt.Sprintf("; %s is needed", percent(t.threshold, 0))
}

// supported returns the support with what it is a share of, below the bound if there is one.
func (d *Decision) supported(bound float64) string {
	unit := cmp.Or(d.unit, "a support of %s")
	switch {
	case !d.spoken || d.Support < 1:
		return fmt.Sprintf(unit, percent(d.Support, bound))
	case strings.HasPrefix(unit, "%s"):
		return fmt.Sprintf(unit, "all")
	}
	return fmt.Sprintf(unit, "over 99 %")
}

// probably returns the confidence.
func (d *Decision) probably() string {
	if d.spoken {
		return probability(d.Confidence)
	}
	return percent(d.Confidence, 0)
}

// agreeing returns how many of the voters who did not abstain agree with the leader, in words.
func (d *Decision) agreeing(show func(string) string) string {
	r := d.from.record()
	p := slices.Index(r.proposals, d.Leader())
	if p < 0 {
		return d.leading(show) + " leads"
	}
	what := partOf(r.total.counts[p].agree, r.total.spoke, "agrees", "agree")
	if len(r.proposals) > 1 {
		what += " with " + d.leading(show)
	}
	return what
}

// rival says which other proposal has the most voters, and how many; "" if no other one has any.
func (d *Decision) rival(show func(string) string) string {
	r := d.from.record()
	most, rival := int32(0), -1
	for p, c := range r.total.counts {
		if c.agree > most && r.proposals[p] != d.Leader() {
			most, rival = c.agree, p
		}
	}
	if rival < 0 {
		return ""
	}
	return fmt.Sprintf(", %d with %q", most, show(r.proposals[rival]))
}

// opposed reports whether anybody disagrees with the leader.
func (d *Decision) opposed() bool {
	r := d.from.record()
	p := slices.Index(r.proposals, d.Leader())
	return p < 0 || r.total.counts[p].disagree > 0
}

func (d *Decision) uncertified(show func(string) string) string {
	const why = "the voters have not been right often enough to tell"
	if len(d.Leaders) != 1 {
		return why
	}
	return d.agreeing(show) + ", but " + why
}

// disagreeing says, for the first proposals, how many of the voters who did not
// abstain disagree.
func (d *Decision) disagreeing(show func(string) string) string {
	const most = 3
	r := d.from.record()
	if len(r.proposals) == 0 {
		return ""
	}
	var all []string
	for p, id := range r.proposals[:min(len(r.proposals), most)] {
		all = append(all, fmt.Sprintf("%s with %q", partOf(r.total.counts[p].disagree, r.total.spoke, "disagrees", "disagree"), show(id)))
	}
	if more := len(r.proposals) - most; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return ": " + strings.Join(all, ", ")
}

func (d *Decision) leading(show func(string) string) string {
	switch n := len(d.Leaders); {
	case n == 0:
		return "the choice"
	case n == 1:
		return strconv.Quote(show(d.Leaders[0]))
	case n > 3:
		return fmt.Sprintf("%q, %q and %d more", show(d.Leaders[0]), show(d.Leaders[1]), n-2)
	default:
		quoted := make([]string, n)
		for i, name := range d.Leaders {
			quoted[i] = strconv.Quote(show(name))
		}
		return strings.Join(quoted[:n-1], ", ") + " and " + quoted[n-1]
	}
}

// known returns the terms, or the default ones for a decision without.
func (s *source) known() *terms {
	if s.terms == nil {
		return defaultTerms
	}
	return s.terms
}

// percent formats a number from 0 to 1 with as many digits as show that it is below 1 and, if it is, below the bound.
func percent(x, bound float64) string {
	for digits := 3; ; digits++ {
		s := strconv.FormatFloat(100*x, 'g', digits, 64)
		y, _ := strconv.ParseFloat(s, 64)
		if (x >= 1 || y < 100) && (x >= bound || y < 100*bound) || digits == 17 {
			return s + " %"
		}
	}
}

func partOf(n int32, whole int, one, many string) string {
	verb := many
	if n == 1 {
		verb = one
	}
	return fmt.Sprintf("%d of %d %s", n, whole, verb)
}

func have(n int) string {
	if n == 1 {
		return "1 has"
	}
	return strconv.Itoa(n) + " have"
}
