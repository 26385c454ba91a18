package consensus

import "slices"

// Decision is what a strategy makes of ballots. It is a value and stays as it is when the [Round] it came
// from goes on. What is only for people ([Decision.String], [Decision.Reason]) and what takes a pass over
// the votes ([Decision.Tallies], [Decision.Dissent], [Decision.Uncounted]) is worked out when asked for, so
// a decision keeps the votes it was made on alive.
type Decision struct {
	Strategy string  `json:"strategy"`
	Outcome  Outcome `json:"outcome"`
	// Choice is the proposal decided for, "" unless Outcome is Reached.
	Choice string `json:"choice,omitempty"`
	// Leaders are the proposals with the most support among those somebody agrees with, ties included,
	// sorted; none when nobody agrees with anything. The slice is shared: do not modify it.
	Leaders []string `json:"leaders,omitempty"`
	// Support is the leaders' support, each: what is compared with the threshold. In [0,1].
	Support float64 `json:"support"`
	// None is the support for none of these. In [0,1].
	None float64 `json:"none"`
	// Confidence is the probability of being right: of the leader, or the least of those tied; of none of
	// these when Outcome is Rejected or nobody leads. For the same leader it is the same whatever the
	// strategy. In [0,1].
	Confidence float64 `json:"confidence"`
	// Learned says that Confidence rests on what was learned of the voters. Without it Confidence is what their
	// weights would mean if they were honest, right more often than not, and erred as ρ says.
	Learned bool `json:"learned,omitempty"`
	// Voters is how many distinct voters counted for the quorum, abstentions included.
	Voters int `json:"voters"`
	// Note is what else the strategy has to say of its decision, "" mostly. The wording may change.
	Note string `json:"note,omitempty"`

	from source
}

// Final reports whether the outcome ends a decision: anything but [Pending].
func (d Decision) Final() bool { return d.Outcome.Valid() && d.Outcome != Pending }

// Leader returns the one proposal that leads, and "" when there is none or a tie.
func (d Decision) Leader() string {
	if len(d.Leaders) != 1 {
		return ""
	}
	return d.Leaders[0]
}

// Ballots returns the ballots the decision was made on; empty for one that a strategy of its own type
// wrote by hand, not through [Ballots.Settle].
func (d Decision) Ballots() Ballots { return d.from.ballots() }

// Tallies returns the count of each proposal, in the order they were made.
func (d Decision) Tallies() []Tally { return d.Ballots().Tallies() }

// Uncounted returns the votes that did not count and why, ordered by voter, proposal and cause.
func (d Decision) Uncounted() []Uncounted { return d.Ballots().Uncounted() }

// Dissent returns the votes against the decision, with their reasons, ordered by Seq: those of voters who
// do not agree with the choice (while nothing is decided, with the leader) and either disagree with it or
// agree with another; those that agree with something when Outcome is Rejected. None when there is a tie.
func (d Decision) Dissent() []Vote { return d.dissent(d.from.record()) }

func (d *Decision) dissent(r *record) []Vote {
	target := d.Leader()
	switch {
	case d.Outcome == Rejected:
		target = ""
	case target == "":
		return nil
	}
	p := int32(slices.Index(r.proposals, target))
	var against []Vote
	for _, v := range r.voters {
		against = r.dissent(against, r.marks[v.from:v.to], p)
	}
	slices.SortFunc(against, comparePlace)
	return against
}

// dissent appends one voter's votes against a proposal; against rejecting all of them for -1.
func (r *record) dissent(against []Vote, marks []mark, p int32) []Vote {
	agrees := func(m mark) bool { return m.stance == Agree && m.proposal == p }
	if slices.ContainsFunc(marks, agrees) {
		return against
	}
	for _, m := range marks {
		if m.stance == Agree || m.stance == Disagree && m.proposal == p {
			against = append(against, r.entries[m.entry].Vote)
		}
	}
	return against
}

// Equal reports whether both say the same in everything, what is worked out when asked for included.
func (d Decision) Equal(e Decision) bool {
	if d.Strategy != e.Strategy || d.Outcome != e.Outcome || d.Choice != e.Choice || d.Support != e.Support ||
		d.Learned != e.Learned || d.None != e.None || d.Confidence != e.Confidence || d.Voters != e.Voters || d.Note != e.Note ||
		!slices.Equal(d.Leaders, e.Leaders) {
		return false
	}
	r, s := d.from.record(), e.from.record()
	return slices.Equal(r.tallies(), s.tallies()) && slices.Equal(d.dissent(r), e.dissent(s)) &&
		slices.Equal(r.uncounted, s.uncounted)
}
