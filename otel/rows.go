package otel

import (
	"time"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// rows holds the open spans of the publishes on one bus. The owner locks it.
type rows struct {
	byID    map[signals.ID]*row
	bySolve map[*solving][]*row // of running solves
	running map[string]*solving // by thread
	due     []dueRow            // ordered by when
	timer   *time.Timer         // nil: not set
}

type dueRow struct {
	id   signals.ID
	when time.Time
}

func newRows() *rows {
	return &rows{byID: map[signals.ID]*row{}, bySolve: map[*solving][]*row{}, running: map[string]*solving{}}
}

// add adds a row. It is closed with its solve, or after a while if it is not
// part of one.
func (all *rows) add(id signals.ID, r *row, of *solving, now time.Time) {
	all.byID[id] = r
	if of != nil {
		all.bySolve[of] = append(all.bySolve[of], r)
		return
	}
	all.due = append(all.due, dueRow{id, now.Add(patience)})
}

// over makes the rows of a solve due; d is nil if there is no decision.
func (all *rows) over(of *solving, d *consensus.Decision, now time.Time) {
	mine := all.bySolve[of]
	delete(all.bySolve, of)
	if all.running[of.thread] == of {
		delete(all.running, of.thread)
	}
	counts(mine, d)
	for _, r := range mine {
		r.late = true
		if id := r.signal.Head().ID; all.byID[id] == r {
			all.due = append(all.due, dueRow{id, now.Add(patience)})
		}
	}
}

// closeDue closes the rows that are due and returns when the next one is due,
// or the zero time if there is none.
func (all *rows) closeDue(now time.Time) (next time.Time) {
	n := 0
	for n < len(all.due) && !all.due[n].when.After(now) {
		all.close(all.due[n].id)
		n++
	}
	all.due = all.due[n:]
	if len(all.due) == 0 {
		all.due = nil
		return time.Time{}
	}
	return all.due[0].when
}

// close closes the row of a signal, if it is open.
func (all *rows) close(id signals.ID) {
	if r := all.byID[id]; r != nil {
		delete(all.byID, id)
		r.close()
	}
}

func (all *rows) closeAll() {
	for id := range all.byID {
		all.close(id)
	}
	clear(all.bySolve)
	all.due = nil
}
