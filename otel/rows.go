package otel

import (
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// rows are the spans of publishes that are not over. Their owner locks them.
type rows struct {
	byID  map[signals.ID]*row
	ofRun map[solveKey][]*row // of solves that run
	due   []dueRow            // in the order of when
	timer *time.Timer         // nil: none is set
}

type dueRow struct {
	id   signals.ID
	when time.Time
}

func newRows() *rows { return &rows{byID: map[signals.ID]*row{}, ofRun: map[solveKey][]*row{}} }

// add keeps a row: until its solve is over, if it is of one that runs.
func (all *rows) add(id signals.ID, r *row, running bool, now time.Time) {
	all.byID[id] = r
	if running {
		all.ofRun[r.solve] = append(all.ofRun[r.solve], r)
		return
	}
	all.due = append(all.due, dueRow{id, now.Add(patience)})
}

// over says that a solve is over, with what decision.
func (all *rows) over(solve solveKey, d *consensus.Decision, now time.Time) {
	mine := all.ofRun[solve]
	delete(all.ofRun, solve)
	counts(mine, d)
	for _, r := range mine {
		r.late = true
		if id := r.signal.Head().ID; all.byID[id] == r {
			all.due = append(all.due, dueRow{id, now.Add(patience)})
		}
	}
}

// closeDue closes the rows that are due and returns when the next one is, zero
// for never.
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

// close closes a row, unless it is closed.
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
	clear(all.ofRun)
	all.due = nil
}

// A solveKey tells solves apart: swarms with the same seed have the same
// threads.
type solveKey struct {
	trace  trace.TraceID
	thread string
}
