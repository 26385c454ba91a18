package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
)

// Reports writes a journal with the reports of two workers and what a conductor answers, unless the file is there.
func Reports(path string) (err error) {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	store, err := journal.Open(path, &journal.Options{Sync: journal.SyncInterval})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	gate, err := reports.NewGate(nil)
	if err != nil {
		return err
	}
	mint, now := signals.SeededMint("workers"), time.Now().Add(-time.Duration(len(turns))*time.Minute)
	add := func(s signals.Any) error {
		h := s.Head()
		h.Seq = store.Last() + 1
		h.ID, h.Time = mint.ID(h.Seq, now), now
		s = signals.With(s, h)
		gate.Apply(s)
		record, err := journal.SignalRecord(s)
		if err == nil {
			_, err = store.Append(record)
		}
		return err
	}
	for _, r := range turns {
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		worker := reports.Worker{ID: r.WorkerID, Task: r.TaskID, Model: r.Model, Research: true}
		for _, s := range gate.Judge(worker, data, signals.ID{}, now).Signals {
			if err := add(s); err != nil {
				return fmt.Errorf("report of %s: %w", r.WorkerID, err)
			}
		}
		now = now.Add(time.Minute)
	}
	for _, r := range gate.Open(now) {
		decided, err := gate.Decide(reports.Decision{Request: r.ID, By: "heron", Verdict: reports.Answered, Option: r.RecommendedOption}, now)
		if err != nil {
			return err
		}
		if err := add(decided); err != nil {
			return err
		}
	}
	return nil
}

// turns are what the workers report, in order.
var turns = []reports.Report{
	{
		TurnID: "t1", WorkerID: "wren", TaskID: "checkout-latency", Model: "demo-small", Status: reports.Running,
		Summary: "Read the traces of Monday's slow checkouts.",
		Findings: []reports.Finding{
			{FindingID: "f1", Claim: "84 % of the slow requests wait for a connection to the orders database.", Confidence: 0.9, EvidenceRefs: reports.List{"https://traces.example/monday/17"}, Novel: true},
			{FindingID: "f2", Claim: "The disk may be slow, too.", Confidence: 0.4, EvidenceRefs: reports.List{"a feeling"}, Novel: true},
			{FindingID: "f3", Claim: "The cache is cold after each deployment.", Confidence: 0.8, Novel: true},
		},
		Learnings: []reports.Learning{
			{LearningID: "l1", Insight: "A larger pool helps more than faster disks.", Confidence: 0.8, Supports: reports.List{"f1"}, ChangesPlan: true},
		},
	},
	{
		TurnID: "t1", WorkerID: "ibis", TaskID: "checkout-latency", Model: "demo-large", Status: reports.Running,
		Summary: "Measured the pool of connections at noon.",
		Findings: []reports.Finding{
			{FindingID: "f1", Claim: "The pool has 20 connections, and 61 requests wait for one at noon.", Confidence: 0.95, EvidenceRefs: reports.List{"https://metrics.example/pool"}, Novel: true},
		},
		Escalations: []reports.Escalation{
			{EscalationID: "e1", Kind: reports.Help, Reason: "No metrics of Sunday were kept.", Urgency: reports.Medium, Options: reports.List{"use Monday", "wait"}, RecommendedOption: "use Monday"},
		},
		Artifacts: []reports.Artifact{{ArtifactID: "a1", Kind: "dataset", Ref: "pool-at-noon.csv"}},
	},
}
