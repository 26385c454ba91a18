package coordination

import (
	"github.com/swarmbus/swarmbus/signals"
)

// Lists hold the records of a thread by the queries that they answer.
type lists struct {
	retain int // ended signals kept; <0: all
	ids    *index

	all, live, open list      // open: those that obstruct
	ended           []*Record // in the order in which they ended
	sources         map[string]*source
	groups          map[group]*list
	expiring        map[int]*list
}

// A group is a set of live signals that suppression treats as the same.
type group struct {
	source   string
	class    Class
	audience Audience
	alarm    bool
	summary  string // of an alarm
}

// alarms reports whether signals of this class and priority from one source are
// distinguished by their summaries.
func alarms(c Class, p Priority) bool {
	return c.Message() == AboutEscalation && p >= High
}

// newLists returns empty lists. ids has the records of other threads, too; nil: none.
func newLists(retain int, ids *index) lists {
	if ids == nil {
		ids = newIndex()
	}
	return lists{
		retain: retain, ids: ids, all: list{ended: true}, sources: map[string]*source{}, groups: map[group]*list{}, expiring: map[int]*list{},
	}
}

// find returns the record with that id, or nil. It may be of another thread.
func (l *lists) find(id signals.ID) *Record { return l.ids.get(id) }

// clear forgets all records.
func (l *lists) clear() {
	for _, r := range l.all.all {
		l.ids.delete(r.ID)
	}
	*l = newLists(l.retain, l.ids)
}

// same returns the live signals of a source that suppression treats as the same as a note,
// or nil.
func (l *lists) same(source string, n *Note) *list {
	g := group{source: source, class: n.Class, audience: n.Audience}
	if alarms(n.Class, n.Priority) {
		g.alarm, g.summary = true, n.Summary
	}
	return l.groups[g]
}

// insert adds a live record to all its lists.
func (l *lists) insert(r *Record) {
	src := l.sources[r.Source]
	if src == nil {
		src = &source{all: list{ended: true}}
		l.sources[r.Source] = src
	}
	r.source = src
	g := group{source: r.Source, class: r.Class, audience: r.Audience}
	r.group = l.groupOf(g)
	if alarms(r.Class, r.Priority) {
		g.alarm, g.summary = true, r.Summary
		r.alarm = l.groupOf(g)
	}
	if r.ExpiresAtStep > 0 && l.expiring[r.ExpiresAtStep] == nil {
		l.expiring[r.ExpiresAtStep] = new(list)
	}
	if newest := l.all.last(); newest != nil && newest.upTo.After(r.EmittedAt) {
		r.upTo = newest.upTo
	} else {
		r.upTo = r.EmittedAt
	}
	l.ids.set(r)
	l.all.add(r)
	src.all.add(r)
	for _, of := range l.listsOf(r) {
		if of != nil {
			of.add(r)
		}
	}
	if r.awaits() {
		src.open++
	}
}

func (l *lists) openOf(from string) int {
	if src := l.sources[from]; src != nil {
		return src.open
	}
	return 0
}

func (l *lists) groupOf(g group) *list {
	of := l.groups[g]
	if of == nil {
		of = new(list)
		l.groups[g] = of
	}
	return of
}

// listsOf returns the lists of live records that a record belongs to; nil for those that
// it does not.
func (l *lists) listsOf(r *Record) [7]*list {
	all := [7]*list{&l.live, &r.source.live, r.group, r.alarm, l.expiring[r.ExpiresAtStep]}
	if r.grades() {
		all[5] = &r.source.grades
	}
	if r.obstructs() {
		all[6] = &l.open
	}
	return all
}

// end removes a record from the lists of live ones, and forgets those that ended first.
func (l *lists) end(r *Record, s State) {
	r.State = s
	for _, of := range l.listsOf(r) {
		if of != nil {
			of.drop()
		}
	}
	l.release(r)
	if r.awaits() {
		r.source.open--
	}
	l.ended = append(l.ended, r)
	if l.retain >= 0 && len(l.ended) > l.retain {
		oldest := l.ended[0]
		l.ended[0], l.ended = nil, l.ended[1:]
		oldest.forgotten = true
		l.ids.delete(oldest.ID)
		l.all.drop()
		if oldest.source.all.drop(); oldest.source.all.size() == 0 {
			delete(l.sources, oldest.Source)
		}
	}
}

// release forgets the lists that are empty now.
func (l *lists) release(r *Record) {
	g := group{source: r.Source, class: r.Class, audience: r.Audience}
	if r.group.size() == 0 {
		delete(l.groups, g)
	}
	if g.alarm, g.summary = true, r.Summary; r.alarm != nil && r.alarm.size() == 0 {
		delete(l.groups, g)
	}
	if of := l.expiring[r.ExpiresAtStep]; of != nil && of.size() == 0 {
		delete(l.expiring, r.ExpiresAtStep)
	}
}
