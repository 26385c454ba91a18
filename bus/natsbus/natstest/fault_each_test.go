package natstest_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// TestEachFault plays a schedule of each kind of fault alone, with three servers. A leader
// that is killed is that of the stream.
func TestEachFault(t *testing.T) {
	t.Parallel()
	const n = 3
	s := &stage{t: t, dir: t.TempDir(), servers: natstest.Start(t, natstest.Options{Servers: n, Processes: true}), faults: map[string]int{}}
	join(t, natsbus.Options{URL: natstest.URLs(s.servers), Storage: natsbus.Storage{Replicas: n}}).Close()
	for i, kind := range eachOfThem {
		t.Run(kind, func(t *testing.T) {
			s.t = t
			seed := int64(1_000_000 + i)
			if s.check(seed, s.play(seed, n, []string{kind}), n) == 0 {
				t.Error("nothing was acknowledged")
			}
		})
	}
}

// goOn waits until more is acknowledged.
func (s *stage) goOn() {
	s.t.Helper()
	count := func() (n int) {
		for _, w := range s.workers {
			all, _ := readLedger(w.config.Ledger) // which may not be there yet
			for _, e := range all {
				n += min(int(e.Seq), 1)
			}
		}
		return n
	}
	ctx, before := soon(s.t), count()
	for count() == before {
		if ctx.Err() != nil {
			s.t.Fatal("nothing more is acknowledged")
		}
		pause()
	}
}
