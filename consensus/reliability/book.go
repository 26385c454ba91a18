package reliability

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/consensus"
)

// Book learns voters' reliability across decisions: [Book.Observe] adds decisions, [Book.Resolve] records what turned
// out to be right, and [Book.Model] returns what has been learned so far.
//
// Observing only stores the votes. The book learns when it is asked for a model and, since it last learned, the number
// of its decisions or of their known outcomes has grown by a fifth, or a fifth of those outcomes have changed, or the
// outcomes show that one of up to 24 voters has ([Model.Changed]). The cost per decision therefore stays constant. A
// book keeps [Options.Window] decisions at most and drops the oldest. It learns about 4,096 voters at most: if there are
// more, those who voted only once become newcomers again, and then those who voted least often.
//
// The zero value is a book with default options. A Book is not safe for concurrent use; the models it returns are.
type Book struct {
	o         Options // with defaults
	kind      kind
	batch     batch
	names     []string
	voters    map[string]int32
	groups    map[string]string // by voter, as in its latest decision
	decisions []decision
	index     map[string]int // position in decisions, by ID
	told      int            // known outcomes

	model    *Model // nil: nothing has been learned
	nothing  *Model // returned in that case, once it has been asked for
	learned  int    // number of decisions when the book last learned
	resolved int    // known outcomes at that time
	changed  int    // outcomes changed since
	looked   int    // outcomes known or changed when it last looked for voters that changed
	since    []int  // what it had found when it learned
}

// decision says where the batch holds a decision.
type decision struct {
	ID    string   `json:"id,omitempty"`
	Rows  int      `json:"rows"`
	Names []string `json:"names"` // proposals with votes for or against them
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

// Observe adds a decision with its ballots. id is what [Book.Resolve] refers to it by, or "" if that is not needed.
//
// The book learns from voters who are for one proposal, and from those who reject all candidates but one; it ignores
// other ballots, and votes for the choice that a voter names whatever the question. A decision with a single vote
// teaches nothing until its outcome is known. Of the decisions in which only one proposal has votes, the book learns
// from no more than there are others, or from twenty if that is more.
//
// Observe returns a wrapped [*consensus.FieldError] if the book already holds the id, if any name is not valid UTF-8,
// since it could not be saved, or if a proposal is not among [Options.Choices] where these are set.
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

// unsavable returns the first name that JSON cannot represent, and the field it is in. field is "" if there is none.
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

// intern returns the ballots for a single candidate as votes, and numbers voters who are new.
func (b *Book) intern(q *question, ballots consensus.Ballots) votes {
	v := votes{field: int32(q.field)}
	for i := range q.ballots {
		x := &q.ballots[i]
		said, counts := x.single(q.field)
		counts = counts && x.weight > 0
		j, met := b.voters[x.voter]
		switch {
		case !met && !counts:
			continue
		case !met:
			j = int32(len(b.names))
			b.voters[x.voter] = j
			b.names = append(b.names, x.voter)
		}
		if group, ok := ballots.Group(x.voter); ok {
			b.groups[x.voter] = group
		} else {
			delete(b.groups, x.voter)
		}
		if !counts {
			continue
		}
		v.voter, v.said, v.stated = append(v.voter, j), append(v.said, said), append(v.stated, x.weight)
	}
	return v
}

// Resolve records which proposal of a decision turned out to be right, or "" for none of them. It may be called again;
// the last call counts. The proposal need not have been made or voted on: if it was not, all votes were wrong. Resolve
// returns a wrapped [*consensus.FieldError] if the book does not hold the decision or if, with [Options.Choices], the
// proposal is not among them.
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
			c = len(d.Names) // none of these
		}
		b.outcome(d, 0, int32(c))
	}
	return nil
}

func (b *Book) outcome(d *decision, row int, c int32) {
	if row >= d.Rows {
		return // no votes
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
	b.since = slices.Clone(b.since)
	for j, at := range b.since {
		b.since[j] = max(0, at-int(b.batch.Start[rows]))
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
	b.learned, b.looked = max(0, b.learned-n), min(b.looked, b.told)
}

// Model returns what has been learned about the voters. Until anything has been, they are all newcomers. It learns
// first if that is due.
func (b *Book) Model() *Model {
	b.ready()
	if b.due() {
		return b.Learn()
	}
	return b.known()
}

// known returns the latest model without learning.
func (b *Book) known() *Model {
	if b.model != nil {
		return b.model
	}
	if b.nothing == nil {
		b.nothing = newModel(b.kind, nil, newcomers(b.kind, b.o), Certificate{OK: true})
	}
	return b.nothing
}

// due reports whether, since the book last learned, the number of decisions has grown by a fifth, the known outcomes
// have become enough to correct by, a fifth of these are new or have changed, or they show that a voter has.
func (b *Book) due() bool {
	n := len(b.decisions)
	if n < b.o.First || n == 0 {
		return false
	}
	grown := 5*n >= 6*b.learned
	if b.told >= minKnown {
		grown = grown || b.resolved < minKnown || 5*(b.told+b.changed) >= 6*b.resolved
	}
	return grown || b.turned()
}

// turned reports whether a voter of a team has changed since the book last learned. It looks after every changeLook
// outcomes.
func (b *Book) turned() bool {
	if told := b.told + b.changed; len(b.names) > changeAmong || told < b.looked+changeLook {
		return false
	}
	b.looked = b.told + b.changed
	return !slices.Equal(b.batch.changes(), b.since)
}

// Learn learns from all decisions that the book holds, whether that is due or not.
func (b *Book) Learn() *Model {
	b.ready()
	b.model = b.lesson().learn()
	return b.model
}

// lesson is a snapshot of what a book learns from. It does not change when the book does.
type lesson struct {
	o         Options
	kind      kind
	batch     batch
	since     []int // by voter, its first vote since it changed
	names     []string
	groups    []string // by voter, "" for none
	decisions int
}

// lesson takes a snapshot of what there is to learn from, and marks it as learned.
func (b *Book) lesson() *lesson {
	b.prune()
	b.learned, b.resolved, b.changed = len(b.decisions), b.told, 0
	b.looked, b.since = b.told, b.batch.changes()
	l := &lesson{o: b.o, kind: b.kind, batch: b.batch, since: b.since, names: b.names, decisions: len(b.decisions)}
	if len(b.groups) > 0 {
		l.groups = make([]string, len(b.names))
		for j, name := range b.names {
			l.groups[j] = b.groups[name]
		}
	}
	l.batch.Answers = b.answers()
	l.batch.Known = slices.Clone(l.batch.Known) // the other slices are only appended to or replaced
	return l
}

// answers returns how many different answers the decisions named: few if all decisions are between the same ones.
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
	held := l.batch
	all := held.current(l.since)
	constant := all.constant()
	l.batch = *all.varied(constant).sorted()
	b := l.taught()
	sources := explain(b)
	shared := copies(b, l.groups, sources.together(b.Voters))
	if l.dominated(b, shared, sources) {
		if b.known() < groupTold {
			return newModel(l.kind, nil, newcomers(l.kind, l.o), Certificate{Group: true})
		}
		b = b.told()
	}
	one := b.oneOfEach(shared)
	from := one
	if one.voting() < 3 && b.known() < minKnown {
		from = b // one voter against another, of which only numbers tell who is right
	}
	m := fit(from, l.o, shared, nil)
	m.OneGroup = l.oneGroup(b)
	m.likeFirst()
	m.Decisions = min(l.decisions, b.size())
	m.Refit = newRefit(from, l.o, m)
	m.Density, m.PerVoter = one.density(), one.perVoter()
	m.Coins, m.Peers, m.Subtypes = newCoins(one, m.Others), newPeers(one, m.Corr, m.tilt()), newSubtypes(one)
	m.Constant, m.Told = constant, b.known()
	m.Records, m.Unopposed = all.records(l.since), held.unopposed()
	if m.Corr == nil {
		m.Corr = new(correlation)
	}
	return newModel(l.kind, l.names, m, m.certify(b, l.o))
}

// oneGroup reports whether all voters who have votes, at least two, are of one group.
func (l *lesson) oneGroup(b *batch) bool {
	if l.groups == nil || b.voting() < 2 {
		return false
	}
	first := l.groups[b.Voter[0]]
	return first != "" && !slices.ContainsFunc(b.Voter, func(j int32) bool { return l.groups[j] != first })
}

// mostVoters is the largest number of voters that a book learns about.
const mostVoters = 4096

// prune forgets voters who have no votes left. If there are more than mostVoters, it also forgets those who voted once,
// then those who voted least often, the earliest first, and drops their votes.
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
	if len(order) == len(n) && slices.IsSorted(b.names) {
		return
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(b.names[i], b.names[j]) })
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
	b.names, b.groups, b.batch = names, groups, *b.batch.only(len(names), func(v votes, i int) int32 { return to[v.voter[i]] })
}

// newcomers returns the parameters before anything is learned.
func newcomers(k kind, o Options) *parameters {
	empty := k.newBatch()
	o.Rounds = 1
	m := fit(&empty, o, nil, nil)
	m.Corr = new(correlation) // not known yet: the residual correlation stands for it
	return m
}

func compareVotes(a, b consensus.Vote) int {
	return cmp.Or(cmp.Compare(a.Voter, b.Voter), cmp.Compare(a.ProposalID, b.ProposalID))
}

// newModel returns a model that knows the first m.Voters names.
func newModel(k kind, names []string, m *parameters, c Certificate) *Model {
	known := make(map[string]int32, m.Voters)
	for j, name := range names[:m.Voters] {
		known[name] = int32(j)
	}
	return &Model{kind: k, voters: known, params: m.grow(m.Voters + 1), certificate: c}
}
