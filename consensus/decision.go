package consensus

import (
	"fmt"
	"reflect"
	"slices"
)

// Decision is the result of a strategy on ballots. It is a value and does not change when the [Round] it
// came from continues. Methods that format text ([Decision.String], [Decision.Reason]) and those that take
// a pass over the votes ([Decision.Tallies], [Decision.Dissent], [Decision.Uncounted]) compute their
// results when called, so a decision keeps alive the votes it was made on.
type Decision struct {
	Strategy string  `json:"strategy"`
	Outcome  Outcome `json:"outcome"`
	// Choice is the chosen proposal; "" unless Outcome is Reached, BySettlement or Answered.
	Choice string `json:"choice,omitempty"`
	// Leaders are the proposals with the most support among those with which at least one voter
	// agrees, ties included, sorted. The slice is shared: do not modify it.
	Leaders []string `json:"leaders,omitempty"`
	// Support is the support of each leader, which is compared with the
	// threshold. In [0,1].
	Support float64 `json:"support"`
	// None is the support for "none of these". In [0,1].
	None float64 `json:"none"`
	// Confidence is the probability of being right: that of the leader, or the least of tied leaders;
	// that of "none of these" when Outcome is Rejected or there is no leader. For the same leader it does
	// not depend on the strategy. In [0,1].
	Confidence float64 `json:"confidence"`
	// Learned says that Confidence is based on what was learned about the voters. Otherwise it is what their
	// weights mean on the assumption that voters are honest, are right more often than not, and have errors
	// with correlation ρ.
	Learned bool `json:"learned,omitempty"`
	// Voters is the number of distinct voters that count for the quorum,
	// abstentions included.
	Voters int `json:"voters"`
	// Because explains a final decision to people by what is on record about the voters on either side, where something
	// was learned about them; "" if there is nothing to say. It is a single line, which [Decision.Reason] contains. The
	// wording may change.
	Because string `json:"because,omitempty"`
	// By is what settled a decision BySettlement ("debate", "majority", "a person"), or the voter whose answer an
	// Answered one is; "" for all others.
	By string `json:"by,omitempty"`
	// Lacks says what a Contested decision lacks for a consensus; "" for all others. The wording may change.
	Lacks string `json:"lacks,omitempty"`
	// Falls names the smallest set of voters who could have made a Reached decision fall by voting for a rival instead
	// ([Margin]). Nil unless whoever asks for the decision has filled it in, as a swarm does.
	Falls []string `json:"falls,omitempty"`
	// Worth is how many independent voters the voters are worth. Nil unless whoever asks for the decision has filled it
	// in, as a swarm that learns does.
	Worth *Worth `json:"worth,omitempty"`
	// Note is an optional remark of the strategy on its decision. The wording
	// may change.
	Note string `json:"note,omitempty"`

	from   source
	unit   string // format of Support for readers
	spoken bool   // by Sentence

	each []float64 // probability of each proposal; nil: by the votes
}

// Final reports whether the outcome ends a decision: anything but [Pending].
func (d Decision) Final() bool { return outcomes.valid(d.Outcome) && d.Outcome != Pending }

// Leader returns the proposal that leads, or "" if there is none or a tie.
func (d Decision) Leader() string {
	if len(d.Leaders) != 1 {
		return ""
	}
	return d.Leaders[0]
}

// Ballots returns the ballots that the decision was made on; empty for a decision that a custom
// strategy type built itself, not through [Ballots.Decide].
func (d Decision) Ballots() Ballots { return d.from.ballots() }

// Tallies returns the count of each proposal, in the order they were made. Their probabilities are those that the
// strategy has stated, if it has ([Decision.WithProbabilities]).
func (d Decision) Tallies() []Tally {
	tallies := d.Ballots().Tallies()
	for p := range d.each {
		tallies[p].Probability = d.each[p]
	}
	return tallies
}

// WithProbabilities returns the decision with a strategy's own probability of being right for each proposal, in the order of
// [Ballots.Proposals]. It keeps the slice. WithProbabilities panics unless there is one number for each proposal.
func (d Decision) WithProbabilities(each []float64) Decision {
	if n := len(d.from.record().proposals); len(each) != n {
		panic(fmt.Sprintf("consensus: %d probabilities of %d proposals", len(each), n))
	}
	d.each = each
	return d
}

// Uncounted returns the votes that did not count and why, ordered by voter, proposal and cause.
func (d Decision) Uncounted() []Uncounted { return d.Ballots().Uncounted() }

// Dissent returns the votes against the decision, with their reasons, ordered by Seq. These are the votes
// of voters who do not agree with the choice (or with the leader while nothing is decided) and either
// disagree with it or agree with another; when Outcome is Rejected, the votes that agree with something.
// On a tie there are none.
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

// dissent appends one voter's votes against proposal p, or, if p is -1, against
// rejecting all.
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

// Equal reports whether d and e are equal, including what their methods
// compute.
func (d Decision) Equal(e Decision) bool {
	if d.Strategy != e.Strategy || d.Outcome != e.Outcome || d.Choice != e.Choice || d.Support != e.Support ||
		d.Learned != e.Learned || d.None != e.None || d.Confidence != e.Confidence || d.Voters != e.Voters || d.Note != e.Note || d.Because != e.Because || d.By != e.By || d.Lacks != e.Lacks ||
		!slices.Equal(d.Leaders, e.Leaders) || !slices.Equal(d.Falls, e.Falls) || !reflect.DeepEqual(d.Worth, e.Worth) {
		return false
	}
	r, s := d.from.record(), e.from.record()
	return slices.Equal(r.tallies(), s.tallies()) && slices.Equal(d.each, e.each) && slices.Equal(d.dissent(r), e.dissent(s)) &&
		slices.Equal(r.uncounted, s.uncounted)
}
