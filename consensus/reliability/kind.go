package reliability

import (
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// kind is what decisions are between, as stated in [Options].
type kind struct {
	stances bool
	choices map[string]int32 // numbers of the shared choices; nil: each decision has its own proposals
}

func newKind(o *Options) kind {
	k := kind{stances: o.Stances}
	if len(o.Choices) > 0 {
		k.choices = make(map[string]int32, len(o.Choices))
		for i, c := range o.Choices {
			k.choices[c] = int32(i)
		}
	}
	return k
}

func (k kind) newBatch() batch {
	switch {
	case k.stances:
		b := newBatch(2, false)
		b.Stances = true
		return b
	case k.choices != nil:
		return newBatch(len(k.choices), false)
	default:
		return newBatch(2, true)
	}
}

// ballot is one voter's answer to a question: that the right candidate is in among or, with not, that it is one of the
// others (coarse data: Heitjan and Rubin, 1991).
type ballot struct {
	voter  string
	weight float64
	among  []int32
	not    bool
}

// single returns the only one of k candidates that the ballot allows, and false if it allows several.
func (b *ballot) single(k int) (int32, bool) {
	switch {
	case !b.not && len(b.among) == 1:
		return b.among[0], true
	case b.not && len(b.among) == k-1:
		rest := k * (k - 1) / 2 // the sum of all
		for _, c := range b.among {
			rest -= int(c)
		}
		return int32(rest), true
	}
	return 0, false
}

// question is one decision as the model sees it: ballots on field candidates. names are the proposals that have votes
// for or against them, and places their indices in [consensus.Ballots.Proposals]. If the decision has its own
// proposals, candidate c is names[c], and the last candidate is "none of these". With shared choices, candidate c is
// choice c. With stances, candidate 0 is that the proposal is right and candidate 1 that it is wrong.
type question struct {
	own     bool
	field   int
	names   []string
	places  []int
	ballots []ballot // ordered by voter
}

// questions turns ballots into questions: one, or with stances one for each proposal that has votes.
func (k kind) questions(b consensus.Ballots) []question {
	cast := castIn(b)
	if !k.stances {
		cast = withoutRepeats(cast)
	}
	proposals := b.Proposals()
	places := make(map[string]int, len(proposals))
	for i, p := range proposals {
		places[p] = i
	}
	spoken := spokenOf(cast)
	if k.stances {
		qs := make([]question, 0, len(spoken))
		for _, p := range spoken {
			qs = append(qs, stanceQuestion(p, places[p], cast))
		}
		return qs
	}
	q := question{own: true, field: len(spoken) + 1, names: spoken}
	number := make(map[string]int32, len(spoken))
	for i, p := range spoken {
		number[p] = int32(i)
		q.places = append(q.places, places[p])
	}
	if k.shared(proposals) {
		q.own, q.field, number = false, len(k.choices), k.choices
	}
	q.ballots = byVoter(cast, number)
	return []question{q}
}

// shared reports whether there are shared choices and all proposals are among them.
func (k kind) shared(proposals []string) bool {
	for _, p := range proposals {
		if _, ok := k.choices[p]; !ok {
			return false
		}
	}
	return k.choices != nil
}

// castIn returns the votes that count, without abstentions, sorted by voter and proposal so that the order in which
// they were cast makes no difference.
func castIn(b consensus.Ballots) []consensus.Vote {
	var cast []consensus.Vote
	for v := range b.Votes() {
		if v.Stance != consensus.Abstain {
			cast = append(cast, v)
		}
	}
	slices.SortFunc(cast, compareVotes)
	return cast
}

// withoutRepeats drops rejections by voters who agree with a proposal: where at most one proposal is right, they add
// nothing.
func withoutRepeats(cast []consensus.Vote) []consensus.Vote {
	agrees := map[string]bool{}
	for _, v := range cast {
		if v.Stance == consensus.Agree {
			agrees[v.Voter] = true
		}
	}
	return slices.DeleteFunc(cast, func(v consensus.Vote) bool { return v.Stance == consensus.Disagree && agrees[v.Voter] })
}

func spokenOf(cast []consensus.Vote) []string {
	names := make([]string, 0, len(cast))
	for _, v := range cast {
		names = append(names, v.ProposalID)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func stanceQuestion(p string, place int, cast []consensus.Vote) question {
	q := question{field: 2, names: []string{p}, places: []int{place}}
	for _, v := range cast {
		if v.ProposalID == p {
			said := int32(0)
			if v.Stance == consensus.Disagree {
				said = 1
			}
			q.ballots = append(q.ballots, ballot{voter: v.Voter, weight: v.Weight, among: []int32{said}})
		}
	}
	return q
}

// byVoter merges each voter's votes into one ballot: for the proposals it agrees with or, if there are none, against
// those it rejects. The ballot's weight is the largest weight of these votes.
func byVoter(cast []consensus.Vote, number map[string]int32) []ballot {
	var ballots []ballot
	for len(cast) > 0 {
		n := 1
		for n < len(cast) && cast[n].Voter == cast[0].Voter {
			n++
		}
		ballots = append(ballots, oneVoter(cast[:n], number))
		cast = cast[n:]
	}
	return ballots
}

func oneVoter(cast []consensus.Vote, number map[string]int32) ballot {
	for _, stance := range []consensus.Stance{consensus.Agree, consensus.Disagree} {
		b := ballot{voter: cast[0].Voter, not: stance == consensus.Disagree}
		for _, v := range cast {
			if v.Stance == stance {
				b.among = append(b.among, number[v.ProposalID])
				b.weight = max(b.weight, v.Weight)
			}
		}
		if b.among != nil {
			return b
		}
	}
	return ballot{voter: cast[0].Voter}
}
