package consensus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// String describes the decision in one line. Names are quoted, so that they cannot break the line or a
// terminal. The wording may change.
func (d Decision) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", d.Strategy, d.Outcome)
	if d.Choice != "" {
		fmt.Fprintf(&b, " %q", d.Choice)
	}
	fmt.Fprintf(&b, ": %s; confidence %s", d.Reason(), short(d.Confidence))
	if d.Voters >= d.from.known().quorum {
		fmt.Fprintf(&b, ", %s", d.turnout())
	}
	r := d.from.record()
	if n := len(d.dissent(r)); n > 0 {
		fmt.Fprintf(&b, ", %s in dissent", plural(n, "vote"))
	}
	left := 0
	for _, u := range r.uncounted {
		left += u.Votes
	}
	if left > 0 {
		fmt.Fprintf(&b, ", %s not counted", plural(left, "vote"))
	}
	if d.Note != "" {
		fmt.Fprintf(&b, "; %s", strings.Map(printable, d.Note))
	}
	return b.String()
}

// printable drops characters that would break a line or a terminal.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return -1
}

// Reason explains the outcome in a few words. The wording may change.
func (d Decision) Reason() string { return d.ReasonWith(func(id string) string { return id }) }

// ReasonWith is Reason with each proposal's id replaced by what show returns
// for it, for readers who may not see ids that agents choose.
func (d Decision) ReasonWith(show func(id string) string) string {
	t := d.from.known()
	because := ""
	if d.Because != "" {
		because = strings.Map(printable, d.Because) + ": "
	}
	switch {
	case d.Outcome == Reached:
		return fmt.Sprintf("%ssupport %s meets the threshold of %s", because, short(d.Support), short(t.threshold))
	case d.Outcome == Rejected:
		return because + "every proposal has more weight against it than for it: " + d.disagreeing(show)
	case d.Outcome == Uncertified:
		return because + fmt.Sprintf("given what is known of the voters, %s with support %s could just as well be wrong", d.leading(show), short(d.Support))
	case d.Voters < t.quorum:
		return fmt.Sprintf("%s of a quorum of %d", plural(d.Voters, "voter"), t.quorum)
	case len(d.Leaders) == 0:
		return fmt.Sprintf("none of %s agrees with any proposal", plural(d.Voters, "voter"))
	case len(d.Leaders) > 1:
		return fmt.Sprintf("no proposal leads alone: %s have support %s each", d.leading(show), short(d.Support))
	case d.Support >= t.threshold:
		return fmt.Sprintf("%s has as much weight against it as for it: support %s", d.leading(show), short(d.Support))
	default:
		return fmt.Sprintf("%s%s%s is below the threshold of %s", because, d.agreeing(show), below(d.Support, t.threshold), short(t.threshold))
	}
}

// agreeing says how many of the voters who did not abstain agree with the leader, and names the number
// that follows where it is not their share.
func (d *Decision) agreeing(show func(string) string) string {
	r := d.from.record()
	p := slices.Index(r.proposals, d.Leaders[0])
	if p < 0 {
		return "support "
	}
	agree, spoke := int(r.total.counts[p].agree), r.total.spoke
	what := fmt.Sprintf("%d of %d agree", agree, spoke)
	if len(r.proposals) > 1 {
		what += " with " + d.leading(show)
	}
	if d.Support == ratio(agree, spoke) {
		return what + ": "
	}
	return what + ": support "
}

// disagreeing says, for the first proposals, how many of the voters who did not
// abstain disagree.
func (d *Decision) disagreeing(show func(string) string) string {
	const most = 3
	r := d.from.record()
	var all []string
	for p, id := range r.proposals[:min(len(r.proposals), most)] {
		all = append(all, fmt.Sprintf("%d of %d disagree with %q", r.total.counts[p].disagree, r.total.spoke, show(id)))
	}
	if more := len(r.proposals) - most; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

// below formats a number with three digits, or as many as are needed to show
// that it is below the bound.
func below(x, bound float64) string {
	for digits := 3; ; digits++ {
		s := strconv.FormatFloat(x, 'g', digits, 64)
		if y, _ := strconv.ParseFloat(s, 64); y < bound || digits == 17 {
			return s
		}
	}
}

func (d *Decision) leading(show func(string) string) string {
	switch n := len(d.Leaders); {
	case n == 0:
		return "the verdict"
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

func (d *Decision) turnout() string {
	if n := len(d.from.known().electorate); n > 0 {
		return fmt.Sprintf("%d of %s", d.Voters, plural(n, "voter"))
	}
	return plural(d.Voters, "voter")
}

// known returns the terms, or the default ones for a decision without.
func (s *source) known() *terms {
	if s.terms == nil {
		return defaultTerms
	}
	return s.terms
}

// short formats a number between 0 and 1 with four digits, never rounding up to
// 1.
func short(x float64) string {
	if s := strconv.FormatFloat(x, 'g', 4, 64); s != "1" || x == 1 {
		return s
	}
	return ">0.9999"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
