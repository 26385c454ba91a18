package schedule_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

const room = 40

// A twin is the scheduler as the specification words it: three lists, and a loop
// over each of them.
type twin struct {
	queues  [4][]waiting
	credits int
	turns   uint64
}

type waiting struct {
	schedule.Message
	since uint64
}

func (w *twin) put(m schedule.Message) bool {
	if len(w.queues[m.Priority]) >= room {
		return false
	}
	w.queues[m.Priority] = append(w.queues[m.Priority], waiting{m, w.turns})
	return true
}

// take removes the next message, or returns nil.
func (w *twin) take() *waiting {
	first, second := schedule.Normal, schedule.Background
	if w.credits == 0 {
		first, second = second, first
	}
	for _, level := range []schedule.Priority{schedule.Urgent, first, second} {
		if len(w.queues[level]) == 0 {
			continue
		}
		switch {
		case level == schedule.Normal:
			w.credits = max(0, w.credits-1)
		case level == schedule.Background && w.credits == 0:
			w.credits = 3
		}
		m := w.queues[level][0]
		w.queues[level] = w.queues[level][1:]
		return &m
	}
	return nil
}

func (w *twin) finish() {
	w.turns++
	for from, limit := range map[schedule.Priority]uint64{schedule.Normal: 20, schedule.Background: 10} {
		stay := w.queues[from][:0:0]
		for _, m := range w.queues[from] {
			if w.turns-m.since > limit {
				m.since = w.turns
				w.queues[from-1] = append(w.queues[from-1], m)
			} else {
				stay = append(stay, m)
			}
		}
		w.queues[from] = stay
		slices.SortFunc(w.queues[from-1], func(a, b waiting) int { return int(a.ID) - int(b.ID) })
	}
}

func TestQueuesFollowTheSpecification(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q schedule.Queues
		w := twin{credits: 3}
		id := uint64(0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "put") {
				id += uint64(rapid.IntRange(1, 3).Draw(t, "gap"))
				m := schedule.Message{ID: id, Priority: schedule.Priority(rapid.IntRange(1, 3).Draw(t, "priority"))}
				err := q.Put(m, room)
				if took := w.put(m); took != (err == nil) || err != nil && !errors.Is(err, schedule.ErrFull) {
					t.Fatalf("put %v: got %v, taken by the twin: %v", m, err, took)
				}
				continue
			}
			finish(t, &q, &w)
		}
		for q.Total() > 0 {
			finish(t, &q, &w)
		}
	})
}

func finish(t *rapid.T, q *schedule.Queues, w *twin) {
	p, ok := q.Pick()
	want := w.take()
	if ok != (want != nil) {
		t.Fatalf("got a pick: %v, want %v", ok, want)
	}
	if ok && (p.Message != want.Message || p.Waited != w.turns-want.since) {
		t.Fatalf("got %v, want %v", p, *want)
	}
	if _, err := q.Finish(p, nil); err != nil {
		t.Fatal(err)
	}
	w.finish()
	for level := schedule.Urgent; level <= schedule.Background; level++ {
		if got, want := q.Len(level), len(w.queues[level]); got != want {
			t.Fatalf("got %d %v messages, want %d", got, level, want)
		}
	}
	if q.Credits() != w.credits {
		t.Fatalf("got %d credits, want %d", q.Credits(), w.credits)
	}
}

func TestUrgentMessageIsAlwaysFirstAndLeavesTheCredits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q schedule.Queues
		for id := uint64(1); id < 100; id++ {
			if rapid.Bool().Draw(t, "put") {
				put(t, &q, id, schedule.Priority(rapid.IntRange(1, 3).Draw(t, "priority")))
				continue
			}
			p, _ := q.Pick()
			if some := q.Len(schedule.Urgent) > 0; some != (p.Level == schedule.Urgent) {
				t.Fatalf("%d urgent messages wait and the pick is %v", q.Len(schedule.Urgent), p)
			}
			credits := q.Credits()
			mustFinish(t, &q, p)
			if p.Level == schedule.Urgent && q.Credits() != credits {
				t.Fatalf("an urgent message changed the credits from %d to %d", credits, q.Credits())
			}
		}
	})
}

func TestAnyFourPicksAreThreeNormalAndOneBackground(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q schedule.Queues
		id := uint64(0)
		var picked []schedule.Priority
		for range 200 {
			// Of each sort at least one waits, and never so many that one is promoted.
			for _, level := range []schedule.Priority{schedule.Normal, schedule.Background} {
				for q.Len(level) < rapid.IntRange(1, 2).Draw(t, "waiting") {
					id++
					put(t, &q, id, level)
				}
			}
			p, _ := q.Pick()
			mustFinish(t, &q, p)
			picked = append(picked, p.Level)
		}
		for i := range len(picked) - 3 {
			n := 0
			for _, level := range picked[i : i+4] {
				if level == schedule.Background {
					n++
				}
			}
			if n != 1 {
				t.Fatalf("picks %d to %d are %v", i, i+3, picked[i:i+4])
			}
		}
	})
}

func TestMessageIsPickedWithinTheBoundForAnyArrivals(t *testing.T) {
	t.Parallel()
	wait := map[schedule.Priority]int{schedule.Urgent: 1, schedule.Normal: 22, schedule.Background: 33}
	longest := map[schedule.Priority]int{}
	rapid.Check(t, func(t *rapid.T) {
		var q schedule.Queues
		due := map[uint64]int{} // the turn by which a message must have been picked
		arrived := map[uint64]int{}
		id := uint64(0)
		for turn := 1; turn < 150; turn++ {
			for range rapid.IntRange(0, 3).Draw(t, "arrivals") {
				id++
				m := schedule.Message{ID: id, Priority: schedule.Priority(rapid.IntRange(1, 3).Draw(t, "priority"))}
				held := q.Total()
				if q.Put(m, room) == nil {
					due[id], arrived[id] = turn-1+held+wait[m.Priority], turn-1+held
				}
			}
			p, ok := q.Pick()
			if !ok {
				continue
			}
			if turn > due[p.Message.ID] {
				t.Fatalf("in turn %d, due by %d: %v", turn, due[p.Message.ID], p)
			}
			longest[p.Message.Priority] = max(longest[p.Message.Priority], turn-arrived[p.Message.ID])
			mustFinish(t, &q, p)
		}
	})
	t.Logf("picked at most that many turns behind what waited already: %v, bounds %v", longest, wait)
}

// TestBoundIsReached floods an agent with urgent messages: the bound is exact.
func TestBoundIsReached(t *testing.T) {
	t.Parallel()
	for priority, want := range map[schedule.Priority]int{schedule.Urgent: 1, schedule.Normal: 22, schedule.Background: 33} {
		var q schedule.Queues
		put(t, &q, 1, priority)
		for turn := 1; ; turn++ {
			put(t, &q, uint64(turn)+1, schedule.Urgent)
			p, _ := q.Pick()
			if p.Message.ID == 1 {
				if turn != want {
					t.Errorf("%v: picked in turn %d, want %d", priority, turn, want)
				}
				break
			}
			mustFinish(t, &q, p)
		}
	}
}

func TestPromotionIsStrictAndRestartsTheCount(t *testing.T) {
	t.Parallel()
	var q schedule.Queues
	put(t, &q, 1, schedule.Background)
	var got []int
	for turn := 1; turn <= 40; turn++ {
		put(t, &q, uint64(turn)+1, schedule.Urgent)
		p, _ := q.Pick()
		if p.Message.ID == 1 {
			break
		}
		promoted, err := q.Finish(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, moved := range promoted {
			if moved.Message != (schedule.Message{ID: 1, Priority: schedule.Background}) {
				t.Errorf("promoted %v", moved)
			}
			got = append(got, turn, int(moved.To))
		}
	}
	if diff := cmp.Diff([]int{11, int(schedule.Normal), 32, int(schedule.Urgent)}, got); diff != "" {
		t.Errorf("turns and levels of promotions (-want +got):\n%s", diff)
	}
	p, _ := q.Pick()
	if text := p.String(); !strings.Contains(text, "stated background, promoted") {
		t.Errorf("the pick does not say that it was promoted: %s", text)
	}
}

func TestPicksAreExplained(t *testing.T) {
	t.Parallel()
	var q schedule.Queues
	put(t, &q, 1, schedule.Background)
	var got []string
	step := func() {
		p, _ := q.Pick()
		got = append(got, p.String())
		mustFinish(t, &q, p)
	}
	step()
	for id := uint64(2); id <= 5; id++ {
		put(t, &q, id, schedule.Normal)
		step()
	}
	put(t, &q, 6, schedule.Background)
	put(t, &q, 7, schedule.Normal)
	put(t, &q, 8, schedule.Urgent)
	step()
	step()
	want := []string{
		"no normal: message 1 of the background queue after 0 turns, with 3 credits",
		"credit left: message 2 of the normal queue after 0 turns, with 3 credits",
		"credit left: message 3 of the normal queue after 0 turns, with 2 credits",
		"credit left: message 4 of the normal queue after 0 turns, with 1 credits",
		"no background: message 5 of the normal queue after 0 turns, with 0 credits",
		"urgent first: message 8 of the urgent queue after 0 turns, with 0 credits",
		"background due: message 6 of the background queue after 1 turns, with 0 credits",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("explanations (-want +got):\n%s", diff)
	}
}

func TestQueuesRefuseMessagesOutOfOrder(t *testing.T) {
	t.Parallel()
	var q schedule.Queues
	put(t, &q, 2, schedule.Normal)
	if err := q.Put(schedule.Message{ID: 2, Priority: schedule.Urgent}, room); !errors.Is(err, schedule.ErrOrder) {
		t.Errorf("a message twice: got %v, want %v", err, schedule.ErrOrder)
	}
	if err := q.Put(schedule.Message{ID: 3, Priority: 4}, room); err == nil {
		t.Error("priority 4 is taken")
	}
	p, _ := q.Pick()
	mustFinish(t, &q, p)
	if _, err := q.Finish(p, nil); !errors.Is(err, schedule.ErrOrder) || q.Turns() != 1 {
		t.Errorf("a pick twice: got %v after %d turns, want %v", err, q.Turns(), schedule.ErrOrder)
	}
}

type fataler interface{ Fatal(args ...any) }

func put(t fataler, q *schedule.Queues, id uint64, p schedule.Priority) {
	if err := q.Put(schedule.Message{ID: id, Priority: p}, 1000); err != nil {
		t.Fatal(err)
	}
}

func mustFinish(t fataler, q *schedule.Queues, p schedule.Pick) {
	if _, err := q.Finish(p, nil); err != nil {
		t.Fatal(err)
	}
}

// TestPromotedMessagesCountForTheBound has a background message become normal: a queue for one
// normal message is full with it, and the background queue has room again.
func TestPromotedMessagesCountForTheBound(t *testing.T) {
	t.Parallel()
	var q schedule.Queues
	put := func(id uint64, p schedule.Priority) error {
		t.Helper()
		return q.Put(schedule.Message{ID: id, Priority: p}, 1)
	}
	if err := put(1, schedule.Background); err != nil {
		t.Fatal(err)
	}
	for range 11 {
		if _, err := q.Finish(schedule.Pick{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := put(2, schedule.Normal); !errors.Is(err, schedule.ErrFull) {
		t.Errorf("a normal message behind a promoted one: got %v, want %v", err, schedule.ErrFull)
	}
	if err := put(3, schedule.Background); err != nil {
		t.Errorf("a background message behind one that was promoted: %v", err)
	}
	if n, b := q.Len(schedule.Normal), q.Len(schedule.Background); n != 1 || b != 1 {
		t.Errorf("%d normal and %d background messages wait, want 1 and 1", n, b)
	}
}
