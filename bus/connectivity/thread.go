package connectivity

import (
	"container/list"
	"slices"
)

// A thread is the fold's state of one coordination context.
type thread struct {
	name    string
	began   uint64 // position of its first entry in the log
	place   *list.Element
	step    int
	records *table // the fold's

	mode    Mode
	modeFor uint64 // position of the signal that the mode was requested for

	all, ended, live records
	toAll            records             // those for the audience all
	byPriority       [priorities]records // live
	classes          []*class            // those that occurred
	sources          lookup[string, *source]
	expiring         lookup[int, *records] // live, by expiry step

	graded int                  // sources with a grade in force
	weak   map[*source]struct{} // those of them with a low grade or a blocker
}

// A class holds the signals of one class in a thread.
type class struct {
	class     Class
	all, live records
}

// A source holds the signals of one source in a thread.
type source struct {
	name      string
	thread    *thread
	all, live records
	grades    records // live ones
	open      int     // number of live ones, without handoffs
	groups    []*group
	weak      bool
	graded    bool
}

// A group holds the live signals that suppression treats as the same.
type group struct {
	source    *source
	peers     *class // all signals of the class in the thread
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

// insert adds a live record to all its lists.
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

// end removes a record from the lists of live records.
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

// forget removes a record that has ended.
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

// special returns the list for the slot inSpecial, or nil if r is in none.
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

// toAllPlaces returns, sorted, the positions in the log for which the
// registrations are still needed: those of the signals for all, and of those
// whose duty they took over.
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

// raise sets r.upTo, the greatest time up to r, the newest record of the
// thread.
func (t *thread) raise(r *record) {
	r.upTo = r.at
	if before := t.records.prev(inThread, r); before != nil {
		r.upTo = max(r.upTo, before.upTo)
	}
}

// regrade updates the counts for the source's newest grade in force.
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
