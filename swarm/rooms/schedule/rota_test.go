package schedule_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// A candidate waits for a turn.
type candidate struct {
	level  schedule.Priority
	served uint64
}

// choose is the rota as its documentation words it: a loop over all waiting seats.
func choose(choices int, all map[int]candidate) (next int, longest bool) {
	next, longest = -1, choices%4 == 3
	for i, c := range all {
		better := next < 0 || c.served < all[next].served
		if next >= 0 && !longest && c.level != all[next].level {
			better = c.level < all[next].level
		}
		if better {
			next = i
		}
	}
	return next, longest
}

func TestRotaChoosesAsALoopOverAllWaitingSeats(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "candidates")
		seats, waiting := make([]schedule.Seat[int], n), map[int]candidate{}
		for i := range seats {
			seats[i] = schedule.Seat[int]{Who: i, Served: uint64(i)}
		}
		var r schedule.Rota[int]
		choices := 0
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			for range rapid.IntRange(0, n).Draw(t, "changes") {
				i, level := rapid.IntRange(0, n-1).Draw(t, "who"), schedule.Priority(rapid.IntRange(0, 3).Draw(t, "level"))
				r.Wait(&seats[i], level)
				delete(waiting, i)
				if level != 0 {
					waiting[i] = candidate{level, seats[i].Served}
				}
			}
			most := schedule.Priority(0)
			for _, c := range waiting {
				if most == 0 || c.level < most {
					most = c.level
				}
			}
			if got := r.Level(); got != most {
				t.Fatalf("the level is %v, want %v", got, most)
			}
			want, wantLongest := choose(choices, waiting)
			got, longest := r.Next()
			switch {
			case got == nil && want < 0:
				continue
			case got == nil || got.Who != want || longest != wantLongest:
				t.Fatalf("choice %d among %v is %v (longest: %v), want %d (%v)", choices, waiting, got, longest, want, wantLongest)
			}
			choices++
			r.Chosen(got, uint64(n+choices))
			delete(waiting, want)
		}
	})
}

func TestRotaIsByUrgencyThreeTimesAndThenByWaiting(t *testing.T) {
	t.Parallel()
	var r schedule.Rota[int]
	seats := []schedule.Seat[int]{{Who: 0, Served: 1}, {Who: 1, Served: 2}, {Who: 2, Served: 3}}
	levels := []schedule.Priority{schedule.Background, schedule.Urgent, schedule.Urgent}
	for i := range seats {
		r.Wait(&seats[i], levels[i])
	}
	for n, want := range []int{1, 2, 1, 0, 2, 1, 2, 0} {
		next, _ := r.Next()
		if next.Who != want {
			t.Fatalf("choice %d is %d, want %d", n, next.Who, want)
		}
		r.Chosen(next, uint64(n)+4)
		r.Wait(next, levels[next.Who])
	}
}

func TestEmptyRotaChoosesNoSeat(t *testing.T) {
	t.Parallel()
	var r schedule.Rota[int]
	if next, _ := r.Next(); next != nil || r.Level() != 0 {
		t.Errorf("got %v", next)
	}
}

// TestSeatIsChosenWithinFourTimesTheirNumber has seats of any urgency that come and go; a seat
// that waits without a break is chosen in time.
func TestSeatIsChosenWithinFourTimesTheirNumber(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "seats")
		seats, waits := make([]schedule.Seat[int], n), make([]int, n)
		for i := range seats {
			seats[i] = schedule.Seat[int]{Who: i, Served: uint64(i)}
		}
		var r schedule.Rota[int]
		for choice := n; choice < n+200; choice++ {
			for i := range seats {
				level := schedule.Priority(0)
				if waits[i] > 0 || rapid.Bool().Draw(t, "waits") {
					level = schedule.Priority(rapid.IntRange(1, 3).Draw(t, "level"))
				}
				r.Wait(&seats[i], level)
				if level != 0 {
					waits[i]++
				}
				if waits[i] > 4*n {
					t.Fatalf("%d has waited for %d choices among %d", i, waits[i], n)
				}
			}
			next, _ := r.Next()
			if next == nil {
				continue
			}
			r.Chosen(next, uint64(choice))
			waits[next.Who] = 0
		}
	})
}
