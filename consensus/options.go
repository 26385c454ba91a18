package consensus

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// The values of zero fields of [Options].
const (
	DefaultThreshold = 0.7
	DefaultQuorum    = 2

	defaultCorrelation = 0.2
)

// Plurality is an [Options.Threshold] that every leader meets, so that the most support decides, whatever it is.
const Plurality = 1e-9

// Independent is the [Options.Correlation] for voters independent of one another: confidence is not
// discounted. Agents that share a model or a prompt are not independent.
const Independent = -1

// Options are the options of one decision. The zero value, or a nil pointer, means the defaults.
// Functions that take Options copy them.
type Options struct {
	// Threshold is the minimum support for a decision, inclusive, in (0,1]. 0 means 0.7: a threshold of
	// 0, which everything would meet, is not possible.
	Threshold float64
	// Quorum is how many distinct voters must have voted, abstentions included, on known proposals.
	// 0 means 2, or 1 if the electorate is smaller than that.
	Quorum int
	// Electorate lists who may vote; votes of others are reported, but do not count. Nil means
	// anyone; empty but not nil means no one.
	Electorate []string
	// Ranks is the operator's registry for [Hierarchical]: the highest rank decides first. Voters not
	// in it have rank 0. Nothing in a vote can change its voter's rank.
	Ranks map[string]int
	// Groups is the operator's registry for [Grouped], [Ballots.WithGroupDiscount] and reliability.Ledger: voters of one group,
	// such as those that share a model or a prompt, err together. A voter not in it is a group of its own.
	Groups map[string]string
	// Reliabilities are those learned of the voters so far; nil means none. They must not
	// change while they are in use.
	Reliabilities Reliabilities
	// Correlation is ρ, the correlation of errors between voters, in (0,1]; it discounts confidence. 0
	// means 0.2; [Independent] means none.
	Correlation float64
}

// Validate returns a wrapped [*FieldError] for the first option that is out of
// range, or nil.
func (o *Options) Validate() error {
	_, err := newTerms(o)
	return err
}

// terms are options with every default filled in. They are shared and never modified.
type terms struct {
	threshold  float64
	quorum     int
	rho        float64
	electorate map[string]struct{} // nil: anyone
	ranks      map[string]int
	groups     map[string]string
	apart      bool             // there are several groups, and one has several voters
	sums       map[string]int64 // the weights of each group whose voters share
	levels     []int            // the distinct ranks, highest first; nil if no one is ranked
	learned    Reliabilities
}

var defaultTerms = &terms{threshold: DefaultThreshold, quorum: DefaultQuorum, rho: defaultCorrelation}

// newTerms fills in the defaults and refuses what is out of range.
func newTerms(o *Options) (*terms, error) {
	if o == nil {
		return defaultTerms, nil
	}
	if err := o.fault(); err != nil {
		return nil, fmt.Errorf("consensus: options: %w", err)
	}
	t := &terms{
		threshold: o.Threshold, quorum: o.Quorum, rho: o.Correlation,
		ranks: maps.Clone(o.Ranks), levels: levels(o.Ranks), electorate: set(o.Electorate), learned: o.Reliabilities,
		groups: maps.Clone(o.Groups), apart: apart(o.Groups),
	}
	t.threshold = cmp.Or(t.threshold, DefaultThreshold)
	switch t.rho {
	case 0:
		t.rho = defaultCorrelation
	case Independent:
		t.rho = 0
	}
	if t.quorum == 0 {
		t.quorum = DefaultQuorum
		if t.electorate != nil {
			t.quorum = max(1, min(t.quorum, len(t.electorate)))
		}
	}
	return t, nil
}

func (o *Options) fault() *FieldError {
	switch {
	case math.IsNaN(o.Threshold) || o.Threshold < 0 || o.Threshold > 1:
		return &FieldError{"threshold", o.Threshold, "a number above 0 and up to 1, or 0 for the default"}
	case o.Quorum < 0:
		return &FieldError{"quorum", o.Quorum, "a number of voters, or 0 for the default"}
	case o.Correlation != Independent && !(o.Correlation >= 0 && o.Correlation <= 1):
		return &FieldError{"correlation", o.Correlation, "a number from 0 to 1, or Independent"}
	}
	if slices.Contains(o.Electorate, "") {
		return &FieldError{"electorate", o.Electorate, "names that are not empty"}
	}
	if n := len(set(o.Electorate)); n > 0 && o.Quorum > n {
		return &FieldError{"quorum", o.Quorum, fmt.Sprintf("at most the electorate of %d", n)}
	}
	return nil
}

// apart reports whether there are several groups, and one has several voters.
func apart(groups map[string]string) bool {
	names := make(map[string]struct{}, len(groups))
	for _, name := range groups {
		names[name] = struct{}{}
	}
	return 1 < len(names) && len(names) < len(groups)
}

// set returns the distinct names, nil for nil.
func set(names []string) map[string]struct{} {
	if names == nil {
		return nil
	}
	s := make(map[string]struct{}, len(names))
	for _, name := range names {
		s[name] = struct{}{}
	}
	return s
}

// mayVote reports whether the electorate, if there is one, includes the voter.
func (t *terms) mayVote(voter string) bool {
	if t.electorate == nil {
		return true
	}
	_, ok := t.electorate[voter]
	return ok
}

// levels returns the distinct ranks, highest first, including 0 for voters not
// in the registry.
func levels(ranks map[string]int) []int {
	if len(ranks) == 0 {
		return nil
	}
	all := []int{0}
	for _, rank := range ranks {
		all = append(all, rank)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}

// level returns the index of the voter's rank in levels.
func (t *terms) level(voter string) int32 {
	if t.levels == nil {
		return 0
	}
	i, _ := slices.BinarySearchFunc(t.levels, t.ranks[voter], func(a, b int) int { return cmp.Compare(b, a) })
	return int32(i)
}
