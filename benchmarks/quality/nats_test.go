package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/internal/votes"
	"github.com/swarmbus/swarmbus/signals"
)

// natsEnv has the URL of a NATS server; bash .ci/nats starts one.
const natsEnv = "SWARMBUS_NATS"

// decisions returns the hash of the decisions of every strategy and the default on all tasks.
func decisions(v *votes.Set) string {
	s, h := flatten(v), sha256.New()
	for _, m := range methods() {
		if m.source == "package consensus" || m.name == "default" || m.name == "learned" {
			for _, a := range m.run(s, s.truth) {
				fmt.Fprintf(h, "%s %x %v %x\n", m.name, a.p, a.leads, a.confidence)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Votes that one process publishes and another one reads from the servers decide as in one
// process, bit for bit, by all strategies and the learned model.
func TestVotesOverNATSDecideAsInOneProcess(t *testing.T) {
	url := os.Getenv(natsEnv)
	if url == "" {
		t.Skip(natsEnv + " names no server")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, name := range []string{"replicats_1", "cf", "ms", "zc_in"} {
		dir, err := fs.Sub(os.DirFS(vendored), name)
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := votes.Read(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		got := decisions(overNATS(ctx, t, url, v))
		if want := decisions(v); got != want {
			t.Errorf("%s: decision hash %s over NATS, %s in one process", name, got, want)
		}
		t.Logf("%s: %d tasks, decision hash %.16s", name, len(v.Tasks), got)
	}
}

// overNATS publishes the votes in one process's log, and returns them as another one reads
// them.
func overNATS(ctx context.Context, t *testing.T, url string, v *votes.Set) *votes.Set {
	t.Helper()
	var read []signals.Any
	join := func(digest func(signals.Any) []byte) *natsbus.Log {
		l, err := natsbus.Join(ctx, natsbus.Options{URL: url, Stream: "quality-" + v.Name, Digest: digest})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		return l
	}
	from := join(nil)
	layer, err := from.Bus().Layer("poll", signals.KindVote)
	if err != nil {
		t.Fatal(err)
	}
	var batch []signals.Any
	flush := func() {
		err := layer.Append(ctx, func(uint64, time.Time) ([]signals.Any, error) { return batch, nil }, nil)
		if batch = nil; err != nil {
			t.Fatal(err)
		}
	}
	for i, task := range v.Tasks {
		for _, x := range task.Votes {
			h := signals.Header{Source: "voter-" + x.Voter, Thread: fmt.Sprint(i), Confidence: 1, TTL: -1}
			batch = append(batch, signals.New(h, signals.Vote{ProposalID: x.Label, Stance: signals.Agree, Weight: x.Confidence, Reasoning: "cast"}))
			if len(batch) == 500 {
				flush()
			}
		}
	}
	flush()
	join(func(s signals.Any) []byte { read = append(read, s); return nil }) // reads all there is
	got := &votes.Set{Name: v.Name, Tasks: make([]*votes.Task, len(v.Tasks))}
	for i, task := range v.Tasks {
		got.Tasks[i] = &votes.Task{ID: task.ID, Truth: task.Truth}
	}
	for _, s := range read {
		p := s.Body().(signals.Vote)
		var i int
		if _, err := fmt.Sscan(s.Head().Thread, &i); err != nil {
			t.Fatal(err)
		}
		got.Tasks[i].Votes = append(got.Tasks[i].Votes, votes.Vote{Voter: s.Head().Source[len("voter-"):], Label: p.ProposalID, Confidence: p.Weight})
	}
	return got
}
