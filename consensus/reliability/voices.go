package reliability

import (
	"cmp"
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// hearing is one question as it is pooled, candidates numbered as in [question]: who says what, how surely.
type hearing struct {
	own    bool
	field  int
	places []int // of the candidates in the ballots, where they are proposals of the decision's own
	said   []said
	voices []voice
}

// voice is one voter's ballot, or that of all newcomers who say the same as surely: to the model they are
// alike, so it takes them by number. 10,000 of them cost what one does.
type voice struct {
	voter  int32
	said   int32 // place in hearing.said
	weight float64
	n      int // in units of 1/whole
}

// whole is a voter in full. Parts of voters are summed in such units since sums of integers do not depend on the order.
const whole = 1 << 40

// number is how many voters speak with the voice.
func (v *voice) number() float64 { return float64(v.n) / whole }

// count is a voter's place, and how many voters are counted for it in units of 1/whole: the model knows by itself
// what those weigh whom it knows, and of newcomers their share counts.
func (m *Model) count(who consensus.Voters) (voter int32, n int) {
	j, known := m.known(who.Name)
	if known {
		return j, who.N * whole
	}
	return j, who.N * int(math.Round(who.Share*whole))
}

// said is what a ballot says: that the truth is among some candidates, or among all others.
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

// hear takes ballots in: one question, or with stances one per proposal that was spoken of.
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

// spokenIn returns the places of the proposals that somebody is for or against, in the order of their names. Where at
// most one is right, a voter for one of them is against nothing else.
func (m *Model) spokenIn(b consensus.Ballots, proposals []string) []int {
	spoken := make([]bool, len(proposals))
	for _, votes := range b.ByVoter() {
		agrees := slices.ContainsFunc(votes, func(v consensus.Said) bool { return v.Stance == consensus.Agree })
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

// taker counts those who say the same.
type taker struct {
	*hearing
	alike  map[voice]int    // place in voices, by a voice without its number
	others map[string]int32 // place in said of what is for or against several, by its bytes
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

// ballot makes one ballot of a voter's votes, as [byVoter] does; said is -1 for a voter who abstains.
func (t *taker) ballot(votes []consensus.Said, number []int32) (said int32, weight float64) {
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

// place returns where what the ballot says is kept.
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

// add counts n voters in, in units of 1/whole. One that is known has a voice of its own.
func (t *taker) add(voter, said int32, weight float64, n int) {
	v := voice{voter: voter, said: said, weight: weight}
	i, ok := t.alike[v]
	if !ok {
		i = len(t.voices)
		t.alike[v] = i
		t.voices = append(t.voices, v)
	}
	t.voices[i].n += n
}

// done puts the voices into an order that does not depend on how the votes came.
func (t *taker) done() {
	slices.SortFunc(t.voices, func(x, y voice) int {
		return cmp.Or(
			cmp.Compare(x.voter, y.voter), t.said[x.said].compare(&t.said[y.said]), cmp.Compare(x.weight, y.weight),
		)
	})
}
