package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// crowdEnv is the number of agents of a crowd; the id of its process is its place, from 0.
const crowdEnv = "CLUSTER_CROWD"

// processes is how many processes a crowd has.
const processes = 4

// runCrowd lets a crowd of agents in four processes decide over so many servers, and prints
// what it took.
func runCrowd(ctx context.Context, out io.Writer, agents, nodes int) error {
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	servers, err := startServers(ctx, dir, nodes)
	if err != nil {
		return err
	}
	defer servers.stop()
	said := &transcript{out: out}
	failed := make([]error, processes)
	var all sync.WaitGroup
	for i := range processes {
		all.Go(func() {
			failed[i] = startProcess(ctx, strconv.Itoa(i), servers.urls(), said, fmt.Sprint(crowdEnv, "=", agents, " ", nodes))
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return said.same(processes)
}

// same returns an error unless so many processes printed the same decision hash.
func (t *transcript) same(n int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var hashes []string
	for _, line := range t.lines {
		if _, hash, ok := strings.Cut(line, "decision hash "); ok {
			hashes = append(hashes, hash)
		}
	}
	if len(hashes) != n || len(slices.Compact(hashes)) != 1 {
		return fmt.Errorf("the processes do not agree: %v", hashes)
	}
	fmt.Fprintf(t.out, "all %d processes derived the same decision\n", n)
	return nil
}

// crowd is one of the processes: it takes the turns of its agents, and all of them would drive.
func crowd(ctx context.Context, url, place, crowd string, out io.Writer) error {
	var n, nodes int
	if _, err := fmt.Sscan(crowd, &n, &nodes); err != nil {
		return err
	}
	mine, err := strconv.Atoi(place)
	if err != nil {
		return err
	}
	codec, err := machines.Codec()
	if err != nil {
		return err
	}
	past := machines.NewRecords()
	log, err := natsbus.Join(ctx, natsbus.Options{
		URL: url, Process: "process-" + place, Codec: codec, Reserved: machines.Reserved(), Digest: past.Digest(), Storage: natsbus.Storage{Replicas: min(nodes, replicas)},
		Tell: natsbus.Tell{Alarm: func(d natsbus.Difference) { fmt.Fprintln(os.Stderr, "cluster: alarm:", d) }},
	})
	if err != nil {
		return err
	}
	defer log.Close()
	all := make([]*agents.Agent, n)
	serving, stop := context.WithCancel(ctx)
	var served sync.WaitGroup
	defer served.Wait()
	defer stop()
	for i := range all {
		all[i] = member(i)
		if i%processes == mine {
			served.Go(func() { _ = machines.Serve(serving, log, all[i].ID, func() *agents.Agent { return member(i) }) })
		}
	}
	team := make([]*agents.Agent, n)
	for i := range team {
		team[i] = &agents.Agent{ID: all[i].ID, Listens: all[i].Listens}
	}
	if err := machines.Remote(log, team); err != nil {
		return err
	}
	o := swarm.Options{Agents: team, Seed: 7, Quorum: n - 1, Limits: swarm.Limits{Deadline: 5 * time.Minute, Signals: 2*n + 10}}
	var began time.Time
	over := false
	for e, err := range machines.Drive(ctx, log, past, o, task) {
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case solves.Started:
			began, over = time.Now(), e.Past != nil && e.Past.Stop == runlog.StopConsensus
		case solves.Stopped:
			report(out, place, e.Result, time.Since(began), !over)
		}
	}
	time.Sleep(3 * time.Second) // others still ask for turns, read and compare
	return log.Err()
}

// member is the i-th agent of a crowd. The first one proposes, and all vote.
func member(i int) *agents.Agent {
	id := fmt.Sprintf("agent-%04d", i)
	return &agents.Agent{ID: id, Listens: []signals.Kind{signals.KindTask, signals.KindProposal}, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		switch {
		case t.Round == 1 && i == 0:
			return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Proposal{ProposalID: "backoff", Content: "exponential backoff with jitter"}))
		case len(t.Proposals) > 0 && t.Proposals[0].VoteOf(id) == nil:
			return agents.Emit(signals.New(signals.Header{Confidence: 0.8}, signals.Vote{ProposalID: "backoff", Stance: signals.Agree, Weight: 1, Reasoning: "it spreads the load"}))
		}
		return agents.Emit()
	})}
}

// report prints what a process saw, and what it took if it drove the solve.
func report(out io.Writer, place string, r *solves.Result, took time.Duration, drove bool) {
	text, _ := runlog.TextOf(r.Decision)
	sum := sha256.Sum256([]byte(text))
	n, what := len(r.Log), "found it decided"
	if drove {
		what = fmt.Sprintf("drove it in %v (%.0f signals/s)", took.Round(10*time.Millisecond), float64(n)/took.Seconds())
	}
	fmt.Fprintf(out, "process %s: %d signals, %s, %s, at most %d MiB, decision hash %s\n", place, n, what, r.Stop, peak()>>20, hex.EncodeToString(sum[:8]))
}

// peak returns the most memory that the process had, as the system counts it; 0: unknown.
func peak() (bytes int) {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, _ = fmt.Sscan(rest, &bytes)
		}
	}
	return bytes << 10
}
