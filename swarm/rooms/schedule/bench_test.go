package schedule_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

const agents = 10_000

// busy returns the queues of many agents, each with messages at all levels.
func busy(tb testing.TB) ([]schedule.Queues, uint64) {
	tb.Helper()
	all, id := make([]schedule.Queues, agents), uint64(0)
	for i := range all {
		for range 8 {
			for level := schedule.Urgent; level <= schedule.Background; level++ {
				id++
				put(tb, &all[i], id, level)
			}
		}
	}
	return all, id
}

// turn picks, finishes, and puts a message in the place of the one picked.
func turn(tb testing.TB, q *schedule.Queues, id uint64, dst []schedule.Promotion) []schedule.Promotion {
	p, ok := q.Pick()
	if !ok {
		tb.Fatal("nothing waits")
	}
	dst, err := q.Finish(p, dst)
	if err != nil {
		tb.Fatal(err)
	}
	put(tb, q, id, p.Message.Priority)
	return dst
}

func BenchmarkPick(b *testing.B) {
	all, _ := busy(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := all[i%agents].Pick(); !ok {
			b.Fatal("nothing waits")
		}
	}
}

func BenchmarkTurn(b *testing.B) {
	all, id := busy(b)
	dst := make([]schedule.Promotion, 0, 64)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		id++
		dst = turn(b, &all[i%agents], id, dst[:0])
	}
}

func TestPickAllocatesNothing(t *testing.T) {
	all, id := busy(t)
	i, dst := 0, make([]schedule.Promotion, 0, 64)
	step := func() {
		id++
		i++
		dst = turn(t, &all[i%100], id, dst[:0])
	}
	for range 100 * 64 {
		step() // the queues reach their sizes
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("a turn allocates %v times", n)
	}
}
