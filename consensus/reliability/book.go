package reliability

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/consensus"
)

// Book learns voters' reliability across decisions: [Book.Observe] adds decisions, [Book.Resolve] what turned
// out to be right, and [Book.Model] is what is known so far. Observing costs no more than keeping the votes;
// the book learns when it is asked and holds a fifth more decisions, or outcomes, than when it last did, or a fifth of
// those outcomes were told otherwise, so the cost per decision stays constant. At most [Options.Window] decisions are
// kept; older ones leave. It learns of 4,096 voters at most: where there are more names, those who voted once are
// newcomers again, and of the others those who voted least often.
//
// The zero value is a book with default options. A Book is not safe for concurrent use; the models it hands
// out are.
type Book struct {
	o         Options // with defaults
	kind      kind
	batch     batch
	names     []string
	voters    map[string]int32
	groups    map[string]string // by voter, as decisions said last
	decisions []decision
	index     map[string]int // of decisions with a name
	told      int            // outcomes that are known

	model    *Model // nil: nothing is learned
	nothing  *Model // what is known then, once somebody asked
	learned  int    // decisions when it last learned
	resolved int    // outcomes then
	changed  int    // outcomes told otherwise since
}

// decision is where one is in the batch.
type decision struct {
	ID    string   `json:"id,omitempty"`
	Rows  int      `json:"rows"`
	Names []string `json:"names"` // proposals spoken of
	from  int
}

// NewBook returns an empty book, or a wrapped [*consensus.FieldError] for an option out of range.
func NewBook(o *Options) (*Book, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	b := new(Book)
	b.open(o.withDefaults())
	return b, nil
}

func (b *Book) open(o Options) {
	b.o, b.kind = o, newKind(&o)
	b.batch = b.kind.newBatch()
	b.voters, b.index, b.groups = make(map[string]int32), make(map[string]int), make(map[string]string)
}

func (b *Book) ready() {
	if b.voters == nil {
		b.open((*Options)(nil).withDefaults())
	}
}

// Len returns how many decisions the book holds.
func (b *Book) Len() int { return len(b.decisions) }

// Observe adds a decision under a name that [Book.Resolve] can use, "" for none. The book learns from
// voters who are for one proposal, and from those who leave only one open; from others it cannot tell. A vote
// without any beside it teaches nothing until the outcome is known, and no more decisions in which only one proposal
// has been voted on are learned from than others, or twenty. Observe refuses, with a wrapped [*consensus.FieldError], a
// name it holds already, names of anything that are not UTF-8, since they cannot be saved, and proposals that are not
// among [Options.Choices] if there are such.
func (b *Book) Observe(id string, ballots consensus.Ballots) error {
	b.ready()
	if err := b.check(id, ballots); err != nil {
		return err
	}
	qs := b.kind.questions(ballots)
	d := decision{ID: id, from: b.batch.size()}
	for i := range qs {
		if len(qs[i].names) == 0 {
			continue
		}
		d.Names = append(d.Names, qs[i].names...)
		d.Rows++
		b.batch.add(b.intern(&qs[i], ballots))
	}
	b.append(d)
	if len(b.decisions) > b.o.Window {
		b.forget(b.o.leave())
	}
	return nil
}

func (b *Book) check(id string, ballots consensus.Ballots) error {
	if b.Holds(id) && id != "" {
		return refuse("id", id, "one that was not observed before")
	}
	if field, name := unsavable(id, ballots); field != "" {
		return refuse(field, name, "UTF-8")
	}
	if b.kind.choices != nil && !b.kind.shared(ballots.Proposals()) {
		return refuse("proposals", fmt.Sprint(ballots.Proposals()), "some of the book's choices")
	}
	return nil
}

// unsavable returns a name that JSON has no text for, and what it names; "" if there is none.
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

func refuse(field string, value any, want string) error {
	return fmt.Errorf("reliability: %w", &consensus.FieldError{Field: field, Value: value, Want: want})
}

func (b *Book) append(d decision) {
	if d.ID != "" {
		b.index[d.ID] = len(b.decisions)
	}
	b.decisions = append(b.decisions, d)
}

// intern keeps the ballots that are for one candidate.
func (b *Book) intern(q *question, ballots consensus.Ballots) votes {
	v := votes{field: int32(q.field)}
	for i := range q.ballots {
		x := &q.ballots[i]
		said, ok := x.single(q.field)
		if !ok || x.weight == 0 {
			continue
		}
		j, ok := b.voters[x.voter]
		if !ok {
			j = int32(len(b.names))
			b.voters[x.voter] = j
			b.names = append(b.names, x.voter)
		}
		if group, ok := ballots.Group(x.voter); ok {
			b.groups[x.voter] = group
		} else {
			delete(b.groups, x.voter)
		}
		v.voter, v.said, v.stated = append(v.voter, j), append(v.said, said), append(v.stated, x.weight)
	}
	return v
}

// Resolve tells which proposal of a decision turned out to be right, "" for none of them. It may be told
// again; what was told last counts. It may be a proposal that nobody voted on, or made: then all votes were wrong.
// It refuses, with a wrapped [*consensus.FieldError], a decision that the
// book does not hold, and with [Options.Choices] what is not among them.
func (b *Book) Resolve(id, right string) error {
	i, ok := b.index[id]
	if !ok {
		return refuse("id", id, "one that is in the book")
	}
	d := &b.decisions[i]
	switch {
	case b.kind.stances:
		for r := range d.Rows {
			known := int32(1)
			if d.Names[r] == right {
				known = 0
			}
			b.outcome(d, r, known)
		}
	case b.kind.choices != nil:
		c, ok := b.kind.choices[right]
		if !ok {
			return refuse("outcome", right, "one of the book's choices")
		}
		b.outcome(d, 0, c)
	default:
		c := slices.Index(d.Names, right)
		if c < 0 {
			c = len(d.Names) // none of those spoken of
		}
		b.outcome(d, 0, int32(c))
	}
	return nil
}

func (b *Book) outcome(d *decision, row int, c int32) {
	if row >= d.Rows {
		return // nobody said anything
	}
	known := &b.batch.Known[d.from+row]
	switch {
	case *known < 0:
		b.told++
	case *known != c:
		b.changed++
	}
	*known = c
}

// forget drops the oldest n decisions.
func (b *Book) forget(n int) {
	rows := 0
	for _, d := range b.decisions[:n] {
		rows += d.Rows
	}
	b.batch.drop(rows)
	b.told = b.batch.known()
	kept := slices.Clone(b.decisions[n:])
	b.decisions = nil
	clear(b.index)
	for _, d := range kept {
		d.from -= rows
		b.append(d)
	}
	b.learned = max(0, b.learned-n)
}

// Model returns what is known of the voters: in the beginning nothing, so that all are newcomers. It learns
// first when that is due.
func (b *Book) Model() *Model {
	b.ready()
	if b.due() {
		return b.Learn()
	}
	return b.known()
}

// known is what is known without learning.
func (b *Book) known() *Model {
	if b.model != nil {
		return b.model
	}
	if b.nothing == nil {
		b.nothing = newModel(b.kind, nil, newcomers(b.kind, b.o), Certificate{OK: true})
	}
	return b.nothing
}

// due reports whether the book holds a fifth more decisions, or outcomes, than when it last learned, or so many were
// told otherwise.
func (b *Book) due() bool {
	n := len(b.decisions)
	grown := 5*n >= 6*b.learned || b.told >= minKnown && 5*(b.told+b.changed) >= 6*max(b.resolved, 1)
	return n >= b.o.First && n > 0 && grown
}

// Learn learns now, due or not, from all that is held.
func (b *Book) Learn() *Model {
	b.ready()
	b.model = b.lesson().learn()
	return b.model
}

// lesson is what a book learns from. It stays as it is while the book goes on.
type lesson struct {
	o         Options
	kind      kind
	batch     batch
	names     []string
	groups    []string // by voter, "" for none
	decisions int
}

// lesson copies what there is to learn from now, and counts it as learned.
func (b *Book) lesson() *lesson {
	b.prune()
	b.learned, b.resolved, b.changed = len(b.decisions), b.told, 0
	l := &lesson{o: b.o, kind: b.kind, batch: b.batch, names: b.names, decisions: len(b.decisions)}
	if len(b.groups) > 0 {
		l.groups = make([]string, len(b.names))
		for j, name := range b.names {
			l.groups[j] = b.groups[name]
		}
	}
	l.batch.Answers = b.answers()
	l.batch.Known = slices.Clone(l.batch.Known) // all else only grows, or is made anew
	return l
}

// answers is how many the decisions named: few where all are between the same ones.
func (b *Book) answers() int {
	seen := map[string]bool{}
	for _, d := range b.decisions {
		for _, name := range d.Names {
			seen[name] = true
		}
	}
	return len(seen)
}

func (l *lesson) learn() *Model {
	all := l.batch
	b := l.taught()
	l.batch = *b
	if l.dominated() {
		return newModel(l.kind, nil, newcomers(l.kind, l.o), Certificate{Group: true})
	}
	m := fit(b, l.o, copies(b), nil)
	m.Decisions = l.decisions
	m.Refit = newRefit(b, l.o, m)
	one := b.oneOfEach(m.Shared)
	m.Coins, m.Peers, m.Subtypes = newCoins(one, m.Others), newPeers(one), newSubtypes(one)
	m.Records, m.Unopposed, m.Told = all.records(), all.unopposed(), b.known()
	m.Density = float64(len(b.Voter)) / float64(max(1, b.size()))
	if m.Corr == nil {
		m.Corr = new(correlation)
	}
	return newModel(l.kind, l.names, m, m.certify(b, l.o))
}

// mostVoters is how many voters a book learns of.
const mostVoters = 4096

// prune forgets voters who have no votes left. Of more than mostVoters it forgets those who voted once, with their
// votes, and of the others those who voted least often, the first of those who are alike.
func (b *Book) prune() {
	n := make([]int, len(b.names))
	for _, j := range b.batch.Voter {
		n[j]++
	}
	order := make([]int, len(n))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(n[j], n[i]), cmp.Compare(j, i)) })
	least := 1
	if len(n) > mostVoters {
		least, order = 2, order[:mostVoters]
	}
	order = slices.DeleteFunc(order, func(j int) bool { return n[j] < least })
	if len(order) == len(n) {
		return
	}
	slices.Sort(order)
	names, to := make([]string, len(order)), slices.Repeat([]int32{-1}, len(n))
	b.voters = make(map[string]int32, len(order))
	groups := make(map[string]string, len(b.groups))
	for i, j := range order {
		names[i], to[j] = b.names[j], int32(i)
		b.voters[names[i]] = int32(i)
		if group, ok := b.groups[names[i]]; ok {
			groups[names[i]] = group
		}
	}
	b.names, b.groups, b.batch = names, groups, *b.batch.only(to, len(names))
}

// newcomers are the parameters before anything is learned.
func newcomers(k kind, o Options) *parameters {
	empty := k.newBatch()
	o.Rounds = 1
	m := fit(&empty, o, nil, nil)
	m.Corr = new(correlation) // what is not known of it is in the residual
	return m
}

func compareVotes(a, b consensus.Vote) int {
	return cmp.Or(cmp.Compare(a.Voter, b.Voter), cmp.Compare(a.ProposalID, b.ProposalID))
}

// newModel knows the first of the names, as far as something was learned of them.
func newModel(k kind, names []string, m *parameters, c Certificate) *Model {
	known := make(map[string]int32, m.Voters)
	for j, name := range names[:m.Voters] {
		known[name] = int32(j)
	}
	return &Model{kind: k, voters: known, params: m.grow(m.Voters + 1), certificate: c}
}
