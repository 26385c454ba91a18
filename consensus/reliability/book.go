package reliability

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

// book keeps decisions of one kind and what was learned from them. It learns when it is asked to and the number of
// decisions has grown by a tenth, or that of known outcomes by a fifth, so the cost per decision stays constant.
type book struct {
	o         Options // with defaults
	kind      kind
	names     []string // of voters
	voters    map[string]int32
	groups    map[string]string // by voter, as in its latest decision
	decisions []decision
	index     map[string]int // position in decisions, by ID

	last *lesson // what the book last learned; never modified
}

// decision is a question, or with stances one for each proposal.
type decision struct {
	ID    string      `json:"id,omitempty"`
	Names []string    `json:"names"` // proposals with votes
	Votes []fit.Votes `json:"votes"`
}

func newBook(o Options) *book {
	o = o.withDefaults()
	return &book{
		o: o, kind: newKind(&o), voters: map[string]int32{}, groups: map[string]string{}, index: map[string]int{}, last: new(lesson),
	}
}

func (b *book) holds(id string) bool {
	_, ok := b.index[id]
	return ok
}

// check returns the error that observe would return.
func (b *book) check(id string, ballots consensus.Ballots) error {
	if id != "" && b.holds(id) {
		return refuse("id", id, "one that was not observed before")
	}
	if field, name := unsavable(id, ballots); field != "" {
		return refuse(field, name, "UTF-8")
	}
	if proposals := ballots.Proposals(); b.kind.strange(proposals) {
		return refuse("proposals", fmt.Sprint(proposals), "some of the ledger's choices")
	}
	return nil
}

// unsavable returns the first name that JSON cannot represent, and the field it is in, or "" if there is none.
func unsavable(id string, ballots consensus.Ballots) (field, name string) {
	if !utf8.ValidString(id) {
		return "id", id
	}
	for v := range ballots.Votes() {
		group, _ := ballots.Group(v.Voter)
		switch {
		case !utf8.ValidString(v.Voter):
			return "voter", v.Voter
		case !utf8.ValidString(v.ProposalID):
			return "proposalId", v.ProposalID
		case !utf8.ValidString(group):
			return "group", group
		}
	}
	return "", ""
}

// observe adds a decision that check has accepted.
func (b *book) observe(id string, ballots consensus.Ballots) {
	r := reader{kind: b.kind, b: ballots, number: func(who consensus.Bloc) (int32, int64) {
		b.group(who.Name, ballots)
		return b.number(who.Name), fraction
	}}
	d := decision{ID: id}
	for _, q := range r.questions() {
		if len(q.names) > 0 {
			d.Names, d.Votes = append(d.Names, q.names...), append(d.Votes, q.plain())
		}
	}
	b.append(d)
	if len(b.decisions) > b.o.Window {
		b.forget()
	}
}

func (b *book) group(voter string, ballots consensus.Ballots) {
	if group, ok := ballots.Group(voter); ok {
		b.groups[voter] = group
	} else {
		delete(b.groups, voter)
	}
}

func (b *book) number(name string) int32 {
	j, ok := b.voters[name]
	if !ok {
		j = int32(len(b.names))
		b.voters[name], b.names = j, append(b.names, name)
	}
	return j
}

// plain returns what can be learned from: ballots for one candidate that weigh something.
func (q *question) plain() fit.Votes {
	v, sure := fit.Votes{Field: q.Field, Known: -1}, true
	for i, said := range q.Said {
		if q.Times[i] == 1 && q.Stated[i] > 0 {
			v.Voter, v.Said, v.Stated = append(v.Voter, q.Voter[i]), append(v.Said, said), append(v.Stated, q.Stated[i])
			sure = sure && q.Stated[i] == 1
		}
	}
	if sure {
		v.Stated = nil
	}
	return v
}

func (b *book) append(d decision) {
	if d.ID != "" {
		b.index[d.ID] = len(b.decisions)
	}
	b.decisions = append(b.decisions, d)
}

// resolve records which proposal turned out to be right, or "" for none of them.
func (b *book) resolve(id, right string) error {
	i, ok := b.index[id]
	if !ok {
		return refuse("id", id, "one that is in the ledger")
	}
	d := &b.decisions[i]
	if b.kind.strange([]string{right}) {
		return refuse("outcome", right, "one of the ledger's choices")
	}
	d.Votes = slices.Clone(d.Votes) // what is learned from it at the moment must not change
	for row := range d.Votes {
		d.Votes[row].Known = b.kind.outcome(d, row, right)
	}
	return nil
}

// outcome returns the number of the candidate that is right.
func (k kind) outcome(d *decision, row int, right string) int32 {
	switch {
	case k.choices != nil:
		return k.choices[right]
	case k.stances && d.Names[row] == right:
		return 0
	case k.stances:
		return 1
	}
	if c := slices.Index(d.Names, right); c >= 0 {
		return int32(c)
	}
	return int32(len(d.Names)) // none of these
}

// forget drops the oldest decisions, and voters that are in none of the others. What was learned from them goes with
// them.
func (b *book) forget() {
	kept, names, groups := b.decisions[b.o.leave():], b.names, b.groups
	b.decisions, b.names = nil, nil
	b.index, b.voters, b.groups = map[string]int{}, map[string]int32{}, map[string]string{}
	for _, d := range kept {
		d.Votes = slices.Clone(d.Votes)
		for row, v := range d.Votes {
			d.Votes[row].Voter = make([]int32, len(v.Voter))
			for i, j := range v.Voter {
				d.Votes[row].Voter[i] = b.number(names[j])
				if group, ok := groups[names[j]]; ok {
					b.groups[names[j]] = group
				}
			}
		}
		b.append(d)
	}
	if b.last.model != nil {
		b.last = b.lesson().learn()
	}
}

// due reports whether the decisions have become a tenth more since the book last learned, or a sixth of the known
// outcomes are new or have changed.
func (b *book) due() bool {
	n := len(b.decisions)
	if n < b.o.First || n == 0 {
		return false
	}
	known, news := 0, 0
	for i, d := range b.decisions {
		for row, v := range d.Votes {
			if v.Known >= 0 {
				known++
				if i >= len(b.last.Known) || b.last.Known[i][row] != v.Known {
					news++
				}
			}
		}
	}
	return 10*n >= 11*len(b.last.Known) || news > 0 && 6*news >= known
}

// lesson is what a book learns from, and what it learned.
type lesson struct {
	Known  [][]int32         `json:"known"`            // outcomes of the first decisions as they were, -1 where not known
	Groups map[string]string `json:"groups,omitempty"` // as they were
	model  *Model            // once learned

	kind      kind
	names     []string
	decisions []decision
}

// lesson takes a snapshot of all decisions.
func (b *book) lesson() *lesson {
	l := &lesson{kind: b.kind, names: b.names, Groups: maps.Clone(b.groups), decisions: slices.Clone(b.decisions)}
	for _, d := range l.decisions {
		known := make([]int32, len(d.Votes))
		for row, v := range d.Votes {
			known[row] = v.Known
		}
		l.Known = append(l.Known, known)
	}
	return l
}

// learn returns the lesson with what it teaches.
func (l *lesson) learn() *lesson {
	names, number := l.voters()
	batch := &fit.Batch{Own: l.kind.own(), Choices: l.kind.columns(), Voters: len(names)}
	for _, name := range names {
		batch.Group = append(batch.Group, l.Groups[name])
	}
	for i, d := range l.decisions {
		for row, v := range d.Votes {
			v.Known = l.Known[i][row]
			batch.Votes = append(batch.Votes, renumbered(v, number))
		}
	}
	return &lesson{Known: l.Known, Groups: l.Groups, model: newModel(l.kind, names, batch, len(l.decisions))}
}

// mostVoters is the largest number of voters that are learned about: those who voted most often.
const mostVoters = 4096

// voters returns the names of the voters to learn about, sorted, and the number of each by its number in the book, or
// -1 for the others, who are newcomers.
func (l *lesson) voters() (names []string, number []int32) {
	n, order := make([]int, len(l.names)), []int(nil)
	for _, d := range l.decisions {
		for _, v := range d.Votes {
			for _, j := range v.Voter {
				n[j]++
			}
		}
	}
	for j, x := range n {
		if x > 0 {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(n[j], n[i]), cmp.Compare(l.names[i], l.names[j])) })
	order = order[:min(len(order), mostVoters)]
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(l.names[i], l.names[j]) })
	number = slices.Repeat([]int32{-1}, len(n))
	for i, j := range order {
		names, number[j] = append(names, l.names[j]), int32(i)
	}
	return names, number
}

// renumbered returns the votes of the voters who have a number, in the order of these.
func renumbered(v fit.Votes, number []int32) fit.Votes {
	var order []int
	for i, j := range v.Voter {
		if number[j] >= 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(number[v.Voter[a]], number[v.Voter[b]]) })
	r := fit.Votes{Field: v.Field, Known: v.Known}
	for _, i := range order {
		r.Voter, r.Said = append(r.Voter, number[v.Voter[i]]), append(r.Said, v.Said[i])
		if v.Stated != nil {
			r.Stated = append(r.Stated, v.Stated[i])
		}
	}
	return r
}
