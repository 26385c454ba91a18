package coordination

import (
	"iter"
	"slices"
)

// A list holds records in log order: the live ones, or all that are not forgotten. Those
// that no longer belong to it are skipped, and removed once they are half of it.
type list struct {
	all   []*Record
	dead  int
	ended bool // ended records belong to it, too
}

func (l *list) add(r *Record) { l.all = append(l.all, r) }

func (l *list) has(r *Record) bool { return r.Live() || l.ended && !r.forgotten }

// drop is called for each record that no longer belongs to the list.
func (l *list) drop() {
	l.dead++
	for n := len(l.all); n > 0 && !l.has(l.all[n-1]); n-- { // the last one always belongs
		l.all[n-1], l.all, l.dead = nil, l.all[:n-1], l.dead-1
	}
	if l.dead > len(l.all)/2 {
		l.compact()
	}
}

func (l *list) compact() {
	kept := make([]*Record, 0, len(l.all)-l.dead)
	for _, r := range l.all {
		if l.has(r) {
			kept = append(kept, r)
		}
	}
	l.all, l.dead = kept, 0
}

func (l *list) size() int { return len(l.all) - l.dead }

// last returns the newest record, or nil.
func (l *list) last() *Record {
	if len(l.all) == 0 {
		return nil
	}
	return l.all[len(l.all)-1]
}

// newest returns the records, newest first; none, if l is nil. It removes records that no
// longer belong to the list if it passes many of them.
func (l *list) newest() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		if l == nil {
			return
		}
		skipped := 0
		for _, r := range slices.Backward(l.all) {
			if !l.has(r) {
				skipped++
			} else if !yield(r) {
				break
			}
		}
		if skipped > 1000 {
			l.compact()
		}
	}
}

// oldest returns the records in log order.
func (l *list) oldest() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		for _, r := range l.all {
			if l.has(r) && !yield(r) {
				return
			}
		}
	}
}
