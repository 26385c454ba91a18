package roomlog

import (
	"time"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// An Agent is the state of one agent in the log. Callers must not modify it.
type Agent struct {
	Name     string
	Queues   schedule.Queues // of the positions of messages
	Turns    int             // begun so far
	Session  int             // begun so far in the present session
	Failures int             // since the last turn that did not fail
	Paused   time.Time       // no turn begins before
	Mail     []events.Event  // waits for the next turn, oldest first
	Running  *Running        // the turn that has begun and not ended; nil: none
	Rooms    []string        // that it is a member of, in the order in which it joined
	State    string          // of its strategy; "": the initial one
	Out      bool            // a route has stopped it: it passes until it is restarted

	since   time.Time      // when the last turn failed
	failed  map[uint64]int // turns that failed so far, by the position of the message that waits; 0: for mail
	urgents []int          // the turns in which it sent its newest urgent messages
	at      *Room          // in which it waits for a turn; nil: it does not wait
	pick    schedule.Pick
	level   schedule.Priority // with which it waits: that of the pick or of its mail, whichever is more urgent
	seat    schedule.Seat[*Agent]
	pause   int  // its index in the pauses, if it is among them
	awake   bool // the newest pause has ended, even if the clock is set back
}

// Running is a turn that has begun and not ended.
type Running struct {
	Turn    int // of all turns of the agent
	Session int // of those of its session
	Room    *Room
	Message events.Event // that the turn is for; zero: for mail
	Mail    []events.Event
	Pick    schedule.Pick
	Calls   []events.Event // of tools so far, each with its newest event, in the order in which they began
	Said    int            // dialogues and mail so far
	Failed  int            // earlier turns for the message, or for mail alone
	Cause   *Cause         // of its messages
	Since   uint64         // position of the record that it begins
	// Asked are the calls that may have been made when a process ended, by the ids of their
	// newest events, with the user's answers about them.
	Asked map[string]Answer
}

// oldest returns the position of the mail that has waited longest, 0 if none waits.
func (a *Agent) oldest() uint64 {
	if len(a.Mail) == 0 {
		return 0
	}
	return a.Mail[0].Seq
}

// Quota returns how many urgent messages the agent may still send in its turn, of n in
// its newest turns.
func (a *Agent) Quota(n, turns int) int {
	for _, t := range a.urgents {
		if t > a.Turns-turns {
			n--
		}
	}
	return max(0, n)
}

// fail notes when a turn has failed, and for how long the agent is paused.
func (a *Agent) fail(at time.Time, pause time.Duration) {
	a.Failures++
	a.since, a.Paused, a.awake = at, at.Add(pause), false
	if a.failed == nil {
		a.failed = map[uint64]int{}
	}
}

// sent remembers an urgent message for Quota.
func (a *Agent) sent(p schedule.Priority) {
	if p != schedule.Urgent {
		return
	}
	const kept = 64
	if a.urgents = append(a.urgents, a.Turns); len(a.urgents) > kept {
		a.urgents = a.urgents[1:]
	}
}
