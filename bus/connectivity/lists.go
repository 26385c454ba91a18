package connectivity

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Lists hold the records of a thread by what is asked of them.
type lists struct {
	retain int // ended signals kept; <0: all
	ids    *index

	all, live, open list      // open: those that obstruct
	ended           []*record // in the order in which they ended
	sources         map[string]*source
	groups          map[group]*list
	expiring        map[int]*list
}

// A group is a set of live signals that suppression treats as the same.
type group struct {
	source   string
	class    coordination.Class
	audience coordination.Audience
	alarm    bool
	summary  string // of an alarm
}

// insert adds a live record to all its lists.
func (l *lists) insert(r *record) {
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
	if r.Class.Message() != coordination.AboutHandoff { // which waits for its turn, and not for an answer
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
func (l *lists) listsOf(r *record) [7]*list {
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
func (l *lists) end(r *record, s coordination.State) {
	r.State = s
	for _, of := range l.listsOf(r) {
		if of != nil {
			of.drop()
		}
	}
	l.release(r)
	if r.Class.Message() != coordination.AboutHandoff {
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
func (l *lists) release(r *record) {
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

// An ending is what the last note or step of a thread ended, oldest first. The transitions
// behind it notify the recipients; a log that breaks off before them has the same state, but
// its recipients were not notified.
type ending struct {
	by      string // who ended them
	records []*record
}

// untold returns the records whose recipients no transition has notified of the end.
func (e *ending) untold() []*record {
	return slices.DeleteFunc(slices.Clone(e.records), func(r *record) bool { return r.notified || r.forgotten })
}
