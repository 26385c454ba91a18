package swarm_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// BenchmarkCrowd solves with one proposer and n voters, each of which hears all votes.
func BenchmarkCrowd(b *testing.B) {
	for _, n := range []int{25, 50, 100, 200, 400} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := []*agents.Agent{proposer("p", "a", "do a")}
			for i := range n {
				v := voter(fmt.Sprint("v", i), map[string]signals.Stance{"a": []signals.Stance{yes, no}[i%2]})
				v.Listens = nil
				all = append(all, v)
			}
			s, err := swarm.New(swarm.Options{Agents: all, Limits: swarm.Limits{Signals: 10000}})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			b.ReportAllocs()
			delivered := 0
			for b.Loop() {
				r, err := s.Solve(context.Background(), signals.Task{Task: "?"})
				if err != nil {
					b.Fatal(err)
				}
				delivered = int(r.Account.Delivered)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(delivered), "ns/delivery")
		})
	}
}

// BenchmarkRestore folds the log of a solve again, as a resumed solve does.
func BenchmarkRestore(b *testing.B) {
	all := []*agents.Agent{proposer("p", "a", "do a")}
	for i := range 100 {
		v := voter(fmt.Sprint("v", i), map[string]signals.Stance{"a": []signals.Stance{yes, no}[i%2]})
		v.Listens = nil
		all = append(all, v)
	}
	s, err := swarm.New(swarm.Options{Agents: all})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	r, err := s.Solve(context.Background(), signals.Task{Task: "?"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Replay(r.Log); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(r.Log)), "ns/signal")
}
