package roomlog

import (
	"container/heap"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// line makes an agent wait in the room of its next message or its mail, or nowhere: among
// the pauses while it is left alone, in the room's rota otherwise.
func (st *State) line(a *Agent) {
	if a.at != nil {
		st.ready--
		st.pauses.drop(a)
		st.wait(a, 0)
		a.at = nil
	}
	if a.Running != nil {
		return
	}
	pick, ok := a.Queues.Pick()
	a.pick, a.level = pick, schedule.Background
	if ok {
		a.level = pick.Level
	}
	for _, m := range a.Mail {
		a.level = min(a.level, m.Common().Priority)
	}
	switch {
	case ok:
		a.at = st.rooms[st.waiting[pick.Message.ID].event.Room]
	case len(a.Mail) > 0 && len(a.Rooms) > 0:
		a.at = st.forMail(a)
	default:
		return
	}
	st.ready++
	if !a.awake && !a.Paused.IsZero() {
		st.paused = later(st.paused, a.since)
		heap.Push(&st.pauses, a)
		return
	}
	st.wait(a, a.level)
}

// forMail returns the room of a turn for mail: that in which the mail arrived, or if the
// agent has left it, the one that it joined first.
func (st *State) forMail(a *Agent) *Room {
	if r := st.rooms[a.Mail[0].Room]; r.Has(a.Name) {
		return r
	}
	return st.rooms[a.Rooms[0]]
}

// wait has an agent wait at a level of its room, 0: no longer, and the room as urgently as
// its agents.
func (st *State) wait(a *Agent, level schedule.Priority) {
	a.at.rota.Wait(&a.seat, level)
	a.at.offer(&st.rota)
}

// offer has a room wait if a turn can begin in it.
func (r *Room) offer(rota *schedule.Rota[*Room]) {
	level := r.rota.Level()
	if r.running != nil {
		level = 0
	}
	rota.Wait(&r.seat, level)
}

// resume ends the pauses that are over. A clock that was set back to before the failure
// ends a pause, which would last that much longer otherwise.
func (st *State) resume(now time.Time) {
	for len(st.pauses) > 0 && !st.pauses[0].Paused.After(now) {
		st.goOn(st.pauses[0])
	}
	if now.Before(st.paused) {
		for _, a := range slices.Clone(st.pauses) {
			if now.Before(a.since) {
				st.goOn(a)
			}
		}
	}
}

// goOn makes an agent wait for a turn again after a pause.
func (st *State) goOn(a *Agent) {
	st.pauses.drop(a)
	a.awake = true
	st.wait(a, a.level)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// pauses are a heap of agents that wait and are left alone, the one whose pause ends first
// at the top.
type pauses []*Agent

// drop takes an agent out, if it is among them.
func (p *pauses) drop(a *Agent) {
	if a.pause < len(*p) && (*p)[a.pause] == a {
		heap.Remove(p, a.pause)
	}
}

func (p pauses) Len() int           { return len(p) }
func (p pauses) Less(i, j int) bool { return p[i].Paused.Before(p[j].Paused) }
func (p pauses) Swap(i, j int)      { p[i], p[j] = p[j], p[i]; p[i].pause, p[j].pause = i, j }

// Push implements [heap.Interface].
func (p *pauses) Push(x any) {
	a := x.(*Agent)
	a.pause = len(*p)
	*p = append(*p, a)
}

// Pop implements [heap.Interface].
func (p *pauses) Pop() any {
	last := len(*p) - 1
	a := (*p)[last]
	(*p)[last] = nil
	*p = (*p)[:last]
	return a
}
