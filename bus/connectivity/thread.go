package connectivity

import (
	"container/list"
	"slices"
)

// A thread is what the fold knows of one coordination context.
type thread struct {
	name    string
	began   uint64 // place of its first entry in the log
	place   *list.Element
	step    int
	records *table // of the fold

	mode    Mode
	modeFor uint64 // place in the log of the signal that the mode was asked for

	all, ended, live records
	toAll            records             // those for all
	byPriority       [priorities]records // live
	classes          []*class            // those there were
	sources          lookup[string, *source]
	expiring         lookup[int, *records] // live, by the step at which they end

	graded int                  // sources with a grade in force
	weak   map[*source]struct{} // those of them whose grade is low or a blocker
}

// A class is the signals of one class in a thread.
type class struct {
	class     Class
	all, live records
}

// A source is who emits in a thread.
type source struct {
	name      string
	thread    *thread
	all, live records
	grades    records // live ones
	open      int     // live ones but handoffs
	groups    []*group
	weak      bool
	graded    bool
}

// A group is the live signals that suppression takes for the same.
type group struct {
	source    *source
	peers     *class // all of the class in the thread
	class     Class
	audience  Audience
	byUrgency [urgencies]records
	bySummary map[string]*records // of urgent escalations
}

func (t *thread) source(name string) *source {
	s := t.sources.get(name)
	if s == nil {
		s = &source{name: name, thread: t}
		t.sources.set(name, s)
	}
	return s
}

func (t *thread) class(c Class) *class {
	if k := t.findClass(c); k != nil {
		return k
	}
	k := &class{class: c}
	t.classes = append(t.classes, k)
	return k
}

func (t *thread) findClass(c Class) *class {
	for _, k := range t.classes {
		if k.class == c {
			return k
		}
	}
	return nil
}

func (s *source) group(c Class, a Audience) *group {
	if g := s.findGroup(c, a); g != nil {
		return g
	}
	g := &group{source: s, peers: s.thread.class(c), class: c, audience: a}
	s.groups = append(s.groups, g)
	return g
}

func (s *source) findGroup(c Class, a Audience) *group {
	for _, g := range s.groups {
		if g.class == c && g.audience == a {
			return g
		}
	}
	return nil
}

// insert enters a live record everywhere it can be asked for.
func (t *thread) insert(r *record) {
	t.records.insert(&t.all, inThread, r)
	t.raise(r)
	t.records.insert(&r.source().all, inSource, r)
	t.records.insert(&r.group.peers.all, inClass, r)
	if r.to.Everyone() {
		t.records.insert(&t.toAll, inToAll, r)
	}

	t.records.insert(&t.live, inLive, r)
	t.records.insert(&r.source().live, inSourceLive, r)
	t.records.insert(&r.group.peers.live, inClassLive, r)
	t.records.insert(&t.byPriority[r.priority-1], inPriority, r)
	t.records.insert(&r.group.byUrgency[r.urgency()], inGroup, r)
	if special := r.special(); special != nil {
		t.records.insert(special, inSpecial, r)
	}
	if r.expires > 0 {
		t.records.insert(t.expiringAt(r.expires), inExpiry, r)
	}
	r.source().open += r.open()
	t.regrade(r.source())
}

func (t *thread) expiringAt(step int) *records {
	l := t.expiring.get(step)
	if l == nil {
		l = &records{}
		t.expiring.set(step, l)
	}
	return l
}

// end takes a record out of all that is live.
func (t *thread) end(r *record, s State) {
	t.records.remove(&t.live, inLive, r)
	t.records.remove(&r.source().live, inSourceLive, r)
	t.records.remove(&r.group.peers.live, inClassLive, r)
	t.records.remove(&t.byPriority[r.priority-1], inPriority, r)
	t.records.remove(&r.group.byUrgency[r.urgency()], inGroup, r)
	if special := r.special(); special != nil {
		t.records.remove(special, inSpecial, r)
		if special.n == 0 {
			delete(r.group.bySummary, r.summary)
		}
	}
	if r.expires > 0 {
		l := t.expiringAt(r.expires)
		if t.records.remove(l, inExpiry, r); l.n == 0 {
			t.expiring.delete(r.expires)
		}
	}
	r.source().open -= r.open()
	r.state = s
	t.records.insert(&t.ended, inEnded, r)
	t.regrade(r.source())
}

// forget takes out a record that has ended.
func (t *thread) forget(r *record) {
	t.records.remove(&t.all, inThread, r)
	t.records.remove(&t.ended, inEnded, r)
	t.records.remove(&r.group.peers.all, inClass, r)
	if r.to.Everyone() {
		t.records.remove(&t.toAll, inToAll, r)
	}
	t.records.remove(&r.source().all, inSource, r)
	if r.source().all.n == 0 {
		t.sources.delete(r.source().name)
	}
}

// special returns the records of its sort that only some records are in.
func (r *record) special() *records {
	switch {
	case r.grades():
		return &r.source().grades
	case !alarms(r.group.class, r.priority):
		return nil
	}
	g := r.group
	if g.bySummary == nil {
		g.bySummary = map[string]*records{}
	}
	if g.bySummary[r.summary] == nil {
		g.bySummary[r.summary] = &records{}
	}
	return g.bySummary[r.summary]
}

// toAllPlaces returns the places at which who was registered still matters, in
// order: those of the signals to all, and of those whose duty they took over.
func (t *thread) toAllPlaces() (places []uint64) {
	if t == nil {
		return nil
	}
	for r := range t.records.oldest(&t.toAll, inToAll) {
		places = append(places, r.seq)
		if r.duty != nil {
			places = append(places, r.duty.seq)
		}
	}
	slices.Sort(places)
	return places
}

// raise notes the greatest time up to r, the newest of the thread.
func (t *thread) raise(r *record) {
	r.upTo = r.at
	if before := t.records.prev(inThread, r); before != nil {
		r.upTo = max(r.upTo, before.upTo)
	}
}

// regrade notes what the source's newest grade in force says.
func (t *thread) regrade(s *source) {
	latest := t.records.at(s.grades.last)
	if graded := latest != nil; graded != s.graded {
		s.graded = graded
		if graded {
			t.graded++
		} else {
			t.graded--
		}
	}
	if weak := latest != nil && latest.weak(); weak != s.weak {
		s.weak = weak
		if weak {
			t.weak[s] = struct{}{}
		} else {
			delete(t.weak, s)
		}
	}
}
