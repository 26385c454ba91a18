package reliability

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/consensus"
)

// book keeps decisions and the lessons from them.
type book struct {
	o         Options // as given, without defaults
	decisions []decision
	index     map[string]int // position in decisions, by ID
	dropped   int            // decisions that have left the window
	before    bool           // see [Ledger.AsBefore]

	last [2]lesson // what the book last learned, by subject
}

// decision has the votes of a decision.
type decision struct {
	ID     string            `json:"id,omitempty"`
	Single bool              `json:"single,omitempty"` // the only one of its proposals
	Names  []string          `json:"names"`            // proposals with votes
	Rows   []row             `json:"rows"`             // one, or with stances one for each name
	Groups map[string]string `json:"groups,omitempty"` // by voter
	Right  *string           `json:"right,omitempty"`  // the outcome, if it is known; "" for none of the proposals
	By     string            `json:"by,omitempty"`     // how it was made, if that was stated
	Chose  string            `json:"chose,omitempty"`
}

// row has the answers of voters to a question, in the order of their names.
type row struct {
	Voter  []string  `json:"voter"`
	Said   []int32   `json:"said"`             // candidates
	Stated []float64 `json:"stated,omitempty"` // confidence; nil: 1
}

// kind returns what the decisions are between.
func (b *book) kind() kind { return kind{b.o.Stances, b.o.Choices} }

func (b *book) holds(id string) bool {
	_, ok := b.index[id]
	return ok
}

// check returns the error with which Observe refuses a decision.
func (b *book) check(id string, ballots consensus.Ballots) error {
	if b.holds(id) {
		return refuse("id", id, "one that was not observed before")
	}
	if err := unsavable(id, ballots); err != nil {
		return err
	}
	if proposals := ballots.Proposals(); b.kind().strange(proposals...) {
		return refuse("proposals", fmt.Sprint(proposals), "some of the ledger's choices")
	}
	if !slices.ContainsFunc(ballots.Tallies(), func(t consensus.Tally) bool { return t.Agree+t.Disagree > 0 }) {
		return refuse("ballots", id, "votes for or against something")
	}
	return nil
}

// unsavable returns the error for the first name that JSON cannot represent, or nil.
func unsavable(id string, ballots consensus.Ballots) error {
	names := [][2]string{{"id", id}}
	for v := range ballots.Votes() {
		group, _ := ballots.Group(v.Voter)
		names = append(names, [2]string{"voter", v.Voter}, [2]string{"proposalId", v.ProposalID}, [2]string{"group", group})
	}
	for _, field := range names {
		if !utf8.ValidString(field[1]) {
			return refuse(field[0], field[1], "UTF-8")
		}
	}
	return nil
}

// observe adds a decision that check has accepted.
func (b *book) observe(id string, ballots consensus.Ballots) {
	proposals := ballots.Proposals()
	d := decision{ID: id, Single: b.kind().own() && len(proposals) == 1}
	var names []string
	for v := range ballots.Votes() {
		names = append(names, v.Voter)
		if group, ok := ballots.Group(v.Voter); ok {
			if d.Groups == nil {
				d.Groups = map[string]string{}
			}
			d.Groups[v.Voter] = group
		}
	}
	slices.Sort(names)
	r := reader{kind: b.kind(), b: ballots, number: func(who consensus.Bloc) (int32, int64) {
		at, _ := slices.BinarySearch(names, who.Name)
		return int32(at), fraction
	}}
	for _, q := range r.questions() {
		for _, place := range q.places {
			d.Names = append(d.Names, proposals[place])
		}
		d.Rows = append(d.Rows, q.row(names))
	}
	b.add(d)
}

// add appends a decision, and makes room for it.
func (b *book) add(d decision) {
	b.append(d)
	if room := b.o.withDefaults().Window; len(b.decisions) > room {
		b.forget()
	}
}

// row returns what can be learned from: ballots for one candidate that weigh something.
func (q *question) row(names []string) (r row) {
	sure := true
	for i, said := range q.Said {
		if q.Times[i] == 1 && q.Stated[i] > 0 {
			r.Voter, r.Said, r.Stated = append(r.Voter, names[q.Voter[i]]), append(r.Said, said), append(r.Stated, q.Stated[i])
			sure = sure && q.Stated[i] == 1
		}
	}
	if sure {
		r.Stated = nil
	}
	return r
}

func (b *book) append(d decision) {
	if d.ID != "" {
		if b.index == nil {
			b.index = map[string]int{}
		}
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
	if b.kind().strange(right) {
		return refuse("outcome", right, "one of the ledger's choices")
	}
	b.decisions[i].Right = &right
	return nil
}

// forget drops the oldest decisions, and the lessons from them.
func (b *book) forget() {
	o := b.o.withDefaults()
	kept := b.decisions[o.leave():]
	b.decisions, b.index, b.dropped = nil, nil, b.dropped+o.leave()
	for _, d := range kept {
		b.append(d)
	}
	for of := range b.last {
		if b.last[of].model != nil {
			b.last[of] = b.lesson(subject(of)).learn()
		}
	}
}
