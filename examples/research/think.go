package main

import (
	"context"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// answer is what a model could have answered: a vote-less turn, and its report.
const answer = `{"say": [{"type": "discovery", "finding": "The pool has 10 connections.", "evidence": "db.conf:4", "relevance": 0.8, "confidence": 0.9}],
	"report": {"turn_id": "", "worker_id": "", "task_id": "", "model": "", "status": "running", "summary": "Read the configuration.",
		"findings": [
			{"finding_id": "f1", "claim": "The pool has 10 connections.", "confidence": 0.9, "evidence_refs": ["db.conf:4"], "novel": true},
			{"finding_id": "f2", "claim": "Ten are too few.", "confidence": 0.5, "evidence_refs": ["db.conf:4"], "novel": true}],
		"learnings": [], "escalations": [], "artifacts": []}}`

// think lets an agent with a model report in its turn of a solve. The desk files the
// report when the turn is committed.
func (s *study) think(ctx context.Context) {
	s.head("6. An agent with a model reports in its turn")
	cyn := thinker.Thinker{ID: "cyn", Model: models.Script(answer), Reports: new(reports.Options)}
	stop, err := s.desk.Listen(nil)
	if err != nil {
		s.note(err)
		return
	}
	defer stop()
	team, err := swarm.New(swarm.Options{Agents: []*agents.Agent{cyn.Agent()}, Bus: s.bus, Seed: 1, Limits: swarm.Limits{Rounds: 1}, Clock: swarm.StepClock(s.clock(), 0)})
	if err != nil {
		s.note(err)
		return
	}
	defer team.Close()
	r, err := team.Solve(ctx, signals.Task{Task: "Why is the checkout slow?"})
	if err != nil {
		s.note(err)
		return
	}
	for _, entry := range r.Log {
		if source := entry.Head().Source; source == "cyn" {
			s.say(source, "%s", entry.Kind())
		}
	}
	receipt, _ := s.desk.Receipt("cyn", r.Thread+"/1")
	s.say("desk", "%s", receipt)
}
