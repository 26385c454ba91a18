package reliability

import (
	"cmp"
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// hearing is one question as it is pooled: who says what, with what confidence. Candidates are numbered as in
// [question].
type hearing struct {
	own    bool
	field  int
	places []int // indices of the candidates in the ballots, where decisions have their own proposals
	said   []said
	voices []voice
}

// voice is the ballot of one known voter, or that of all newcomers who say the same with the same weight: they are
// alike to the model, so it only counts them. 10,000 of them cost as much as one.
type voice struct {
	voter  int32
	said   int32 // index in hearing.said
	weight float64
	n      int64 // number of voters, in units of 1/whole
}

// whole is one voter. Fractions of voters are summed in units of 1/whole, because sums of integers do not depend on the
// order.
const whole = 1 << 40

// number returns how many voters the voice stands for.
func (v *voice) number() float64 { return float64(v.n) / whole }

// count returns a voter's index and how many voters it counts for, in units of 1/whole. Known voters count in full,
// since the model itself determines their weight; newcomers count with their share.
func (m *Model) count(who consensus.Bloc) (voter int32, n int64) {
	j, known := m.known(who.Name)
	if known {
		return j, int64(who.N) * whole
	}
	return j, int64(who.N) * int64(math.Round(who.Share*whole))
}

// said is what a ballot says: that the right candidate is in among or, with not, that it is one of the others.
type said struct {
	among []int32 // sorted
	not   bool
}

func (s *said) single(k int) (int32, bool) {
	b := ballot{among: s.among, not: s.not}
	return b.single(k)
}

func (s *said) compare(t *said) int {
	switch {
	case s.not == t.not:
		return slices.Compare(s.among, t.among)
	case s.not:
		return 1
	default:
		return -1
	}
}

// hear turns ballots into hearings: one, or with stances one for each proposal that has votes.
func (m *Model) hear(b consensus.Ballots) []*hearing {
	proposals := b.Proposals()
	places := m.spokenIn(b, proposals)
	if m.kind.stances {
		return m.hearStances(b, places, len(proposals))
	}
	h := &hearing{own: true, field: len(places) + 1, places: places}
	number := make([]int32, len(proposals))
	for c, place := range places {
		number[place] = int32(c)
	}
	if m.kind.shared(proposals) {
		h.own, h.field = false, len(m.kind.choices)
		for place, name := range proposals {
			number[place] = m.kind.choices[name]
		}
	}
	t := newTaker(h)
	for who, votes := range b.ByVoter() {
		if said, weight := t.ballot(votes, number); said >= 0 {
			voter, n := m.count(who)
			t.add(voter, said, weight, n)
		}
	}
	t.done()
	return []*hearing{h}
}

func (m *Model) hearStances(b consensus.Ballots, places []int, proposals int) []*hearing {
	hs := make([]*hearing, len(places))
	takers := make([]*taker, proposals)
	for i, place := range places {
		hs[i] = &hearing{field: 2, places: places[i : i+1]}
		takers[place] = newTaker(hs[i])
	}
	for who, votes := range b.ByVoter() {
		j, n := m.count(who)
		for _, v := range votes {
			switch v.Stance {
			case consensus.Agree:
				takers[v.Proposal].add(j, 0, v.Weight, n)
			case consensus.Disagree:
				takers[v.Proposal].add(j, 1, v.Weight, n)
			}
		}
	}
	for _, place := range places {
		takers[place].done()
	}
	return hs
}

// spokenIn returns the indices of the proposals that somebody is for or against, sorted by name. Where at most one is
// right, the rejections of a voter who is for a proposal are ignored.
func (m *Model) spokenIn(b consensus.Ballots, proposals []string) []int {
	spoken := make([]bool, len(proposals))
	for _, votes := range b.ByVoter() {
		agrees := slices.ContainsFunc(votes, func(v consensus.Position) bool { return v.Stance == consensus.Agree })
		for _, v := range votes {
			if v.Stance == consensus.Agree || v.Stance == consensus.Disagree && (m.kind.stances || !agrees) {
				spoken[v.Proposal] = true
			}
		}
	}
	var places []int
	for i, is := range spoken {
		if is {
			places = append(places, i)
		}
	}
	slices.SortFunc(places, func(x, y int) int { return cmp.Compare(proposals[x], proposals[y]) })
	return places
}

// taker groups voters who say the same into voices.
type taker struct {
	*hearing
	alike  map[voice]int    // index in voices, by the voice without its n
	others map[string]int32 // index in said of ballots for or against several candidates, by their encoding
	among  []int32
}

func newTaker(h *hearing) *taker {
	all := make([]int32, h.field)
	h.said = make([]said, 2*h.field)
	for c := range all {
		all[c] = int32(c)
		h.said[c] = said{among: all[c : c+1]}
		h.said[h.field+c] = said{among: all[c : c+1], not: true}
	}
	return &taker{hearing: h, alike: map[voice]int{}}
}

// ballot merges a voter's votes into one ballot, as [byVoter] does. said is -1 for a voter who only abstains.
func (t *taker) ballot(votes []consensus.Position, number []int32) (said int32, weight float64) {
	for _, stance := range []consensus.Stance{consensus.Agree, consensus.Disagree} {
		t.among = t.among[:0]
		for _, v := range votes {
			if v.Stance == stance {
				t.among = append(t.among, number[v.Proposal])
				weight = max(weight, v.Weight)
			}
		}
		if len(t.among) > 0 {
			return t.place(stance == consensus.Disagree), weight
		}
	}
	return -1, 0
}

// place returns the index in said of what the ballot says, and adds it if it is new.
func (t *taker) place(not bool) int32 {
	if len(t.among) == 1 {
		if not {
			return int32(t.field) + t.among[0]
		}
		return t.among[0]
	}
	slices.Sort(t.among)
	key := make([]byte, 0, 4*len(t.among)+1)
	for _, c := range t.among {
		key = append(key, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
	}
	if not {
		key = append(key, 1)
	}
	i, ok := t.others[string(key)]
	if !ok {
		i = int32(len(t.said))
		t.said = append(t.said, said{slices.Clone(t.among), not})
		if t.others == nil {
			t.others = map[string]int32{}
		}
		t.others[string(key)] = i
	}
	return i
}

// add adds n voters, in units of 1/whole. A known voter has a voice of its own.
func (t *taker) add(voter, said int32, weight float64, n int64) {
	v := voice{voter: voter, said: said, weight: weight}
	i, ok := t.alike[v]
	if !ok {
		i = len(t.voices)
		t.alike[v] = i
		t.voices = append(t.voices, v)
	}
	t.voices[i].n += n
}

// done sorts the voices, so that their order does not depend on that of the votes.
func (t *taker) done() {
	slices.SortFunc(t.voices, func(x, y voice) int {
		return cmp.Or(
			cmp.Compare(x.voter, y.voter), t.said[x.said].compare(&t.said[y.said]), cmp.Compare(x.weight, y.weight),
		)
	})
}
