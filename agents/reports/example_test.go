package reports_test

import (
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

func Example() {
	gate, err := reports.NewGate(nil)
	if err != nil {
		panic(err)
	}
	report := []byte(`{
		"turn_id": "t1", "worker_id": "ann", "task_id": "latency", "model": "", "status": "running",
		"summary": "Looked at the traces.",
		"findings": [
			{"finding_id": "f1", "claim": "84% of requests wait for a connection.", "confidence": 0.9,
			 "evidence_refs": ["https://traces.example/17"], "novel": true},
			{"finding_id": "f2", "claim": "The disk may be slow, too.", "confidence": 0.4,
			 "evidence_refs": ["a feeling"], "novel": true}],
		"learnings": [], "escalations": [], "artifacts": []}`)
	judgement := gate.Judge(reports.Worker{ID: "ann", Research: true}, report, signals.ID{}, time.Now())
	for _, s := range judgement.Signals {
		fmt.Println(s.Kind())
		gate.Apply(s) // once it is in the log
	}
	fmt.Println(judgement.Receipt)
	// Output:
	// worker.report.received
	// worker.task.progress
	// research.finding.created
	// worker.signal.rejected
	// ann t1 running: finding f1; held back: finding low_confidence
}

func ExampleWatcher() {
	w, err := reports.NewWatcher(nil)
	if err != nil {
		panic(err)
	}
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	w.Watch(signals.New(
		signals.Header{Source: "ann", Thread: "latency", Time: at},
		reports.Progress{Step: reports.Step{Summary: "reading"}},
	))
	for _, a := range w.At(at.Add(11 * time.Minute)) {
		fmt.Println(a.Concern, a.Text)
	}
	// Output:
	// stall ann has said nothing on latency for more than 10m0s
}
