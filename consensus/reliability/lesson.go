package reliability

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

// subject is the sort of decisions that a model is about. A vote means something else if there is only one proposal.
type subject int

const (
	several subject = iota // decisions between several proposals, and those between one and none
	one                    // decisions on one proposal, which is right or wrong
)

// kind returns what the decisions of a subject are between.
func (b *book) kindOf(of subject) kind { return kind{of == one, b.o.Choices} }

// about yields the decisions of a subject.
func (b *book) about(of subject) iter.Seq[decision] {
	return func(yield func(decision) bool) {
		for _, d := range b.decisions {
			if in := b.o.Stances || d.Single; (of == one && in || of == several && !b.o.Stances) && !yield(d) {
				return
			}
		}
	}
}

// due reports whether the decisions on a subject have become a tenth more since the book last learned, or a sixth of the
// known outcomes are new or have changed, so that the cost per decision stays constant.
func (b *book) due(of subject) bool {
	n, known, news, last := 0, 0, 0, b.last[of].right
	for d := range b.about(of) {
		if d.Right != nil {
			known++
			if n >= len(last) || last[n] == nil || *last[n] != *d.Right {
				news++
			}
		}
		n++
	}
	return n >= b.o.withDefaults().First && (10*n >= 11*len(last) || news > 0 && 6*news >= known)
}

// lesson has the input of a book's learning, and its result.
type lesson struct {
	right []*string // outcomes of the first decisions as they were, nil where not known
	model *Model    // nil: nothing was learned

	kind      kind
	before    bool // see [Ledger.AsBefore]
	decisions []decision
}

// lesson takes a snapshot of all decisions on a subject.
func (b *book) lesson(of subject) lesson {
	l := lesson{kind: b.kindOf(of), before: b.before, decisions: slices.Collect(b.about(of))}
	for _, d := range l.decisions {
		l.right = append(l.right, d.Right)
	}
	return l
}

// model returns the latest model of a subject.
func (b *book) model(of subject) *Model {
	if m := b.last[of].model; m != nil {
		return m
	}
	return (&Model{kind: b.kindOf(of)}).empty()
}

// learn returns the lesson with what it teaches.
func (l lesson) learn() lesson {
	m := &Model{kind: l.kind, names: l.names(), voters: map[string]int32{}}
	for j, name := range m.names {
		m.voters[name] = int32(j)
	}
	batch := groups{&fit.Batch{Own: l.kind.own(), Choices: l.kind.columns(), Voters: len(m.names), Before: l.before}, make([]string, len(m.names))}
	for i, d := range l.decisions {
		for at, row := range d.Rows {
			v := fit.Votes{Field: l.kind.field(len(d.Names)), Known: l.kind.outcome(d.Names, at, l.right[i])}
			for h, name := range row.Voter {
				j, ok := m.voters[name]
				if !ok {
					continue // a newcomer
				}
				batch.of[j] = d.Groups[name]
				v.Voter, v.Said = append(v.Voter, j), append(v.Said, row.Said[h])
				if row.Stated != nil {
					v.Stated = append(v.Stated, row.Stated[h])
				}
			}
			if v.Known < 0 && l.kind.own() && even(v) {
				continue // nothing says which side is right, as choices that decisions share may
			}
			batch.Votes = append(batch.Votes, v)
		}
	}
	m.learn(batch, len(l.decisions))
	return lesson{right: l.right, model: m}
}

// even reports whether all answers that were given, two or more, were given equally often.
func even(v fit.Votes) bool {
	count := make([]int, v.Field)
	for _, said := range v.Said {
		count[said]++
	}
	given := slices.DeleteFunc(count, func(n int) bool { return n == 0 })
	return len(given) > 1 && slices.Min(given) == slices.Max(given)
}

// outcome returns the number of the candidate that is right, or -1.
func (k kind) outcome(names []string, row int, right *string) int32 {
	switch {
	case right == nil:
		return -1
	case len(k.choices) > 0:
		return int32(slices.Index(k.choices, *right))
	case k.stances && names[row] == *right:
		return 0
	case k.stances:
		return 1
	}
	if c := slices.Index(names, *right); c >= 0 {
		return int32(c)
	}
	return int32(len(names)) // none of these
}

// mostVoters is the largest number of voters that are learned about: those who voted most often. Others are newcomers.
const mostVoters = 4096

// names returns the voters to learn about, sorted.
func (l *lesson) names() []string {
	n := map[string]int{}
	for _, d := range l.decisions {
		for _, row := range d.Rows {
			for _, name := range row.Voter {
				n[name]++
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(n), func(x, y string) int { return cmp.Or(cmp.Compare(n[y], n[x]), cmp.Compare(x, y)) })
	names = names[:min(len(names), mostVoters)]
	slices.Sort(names)
	return names
}
