package demo

import (
	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// says returns the same signals in any turn.
func says(all ...signals.Any) func(*agents.Turn) []signals.Any {
	return func(*agents.Turn) []signals.Any { return all }
}

// found is a finding of an agent.
func found(sure float64, finding, evidence string) signals.Any {
	return signals.New(signals.Header{Confidence: sure}, signals.Discovery{Finding: finding, Evidence: evidence, Relevance: sure})
}

// measured is the result of a tool.
func measured(by, tool, result string, millis float64) signals.Any {
	return signals.New(signals.Header{Confidence: 1}, signals.ToolResult{ToolName: tool, Result: result, DurationMs: millis, TriggeredBy: by})
}

// doubts doubts a proposal, once it is there.
func doubts(proposal, concern string, severity signals.Severity) func(*agents.Turn) []signals.Any {
	return about(proposal, func(target signals.ID) signals.Any {
		return signals.New(signals.Header{Confidence: 0.8}, signals.Doubt{TargetSignalID: target, Concern: concern, Severity: severity})
	})
}

// argues argues against a proposal.
func argues(proposal, text string) func(*agents.Turn) []signals.Any {
	return about(proposal, func(target signals.ID) signals.Any {
		return signals.New(signals.Header{Confidence: 0.85}, signals.Challenge{TargetSignalID: target, CounterArgument: text})
	})
}

func about(proposal string, say func(signals.ID) signals.Any) func(*agents.Turn) []signals.Any {
	return func(t *agents.Turn) []signals.Any {
		p, ok := t.Standing(proposal)
		if !ok {
			return nil
		}
		return []signals.Any{say(p.Proposal.ID)}
	}
}

// follow votes on the logs according to the answer of a person.
func follow(t *agents.Turn) []signals.Any {
	switch p := answerIn(t).Body().(type) {
	case signals.Vote:
		if p.Stance == signals.Agree {
			return []signals.Any{agents.Agree(p.ProposalID, 0.9, "a person has decided what only a person can")}
		}
		return []signals.Any{agents.Disagree(p.ProposalID, 0.9, "a person has said no")}
	case signals.Memory:
		if refuses(p.Content) {
			return []signals.Any{agents.Agree("seven-days", 0.9, "the answer was no: "+p.Content), agents.Disagree("thirty-days", 0.8, "it was not granted")}
		}
		return []signals.Any{agents.Agree("thirty-days", 0.9, "it was granted: "+p.Content)}
	}
	return nil
}

// Tasks returns the tasks for which the team of the demo has a scene.
func Tasks() (all []string) {
	for _, s := range scenes {
		all = append(all, s.task)
	}
	return all
}

var scenes = []scene{
	{
		task:    "How do we move the orders table to the new schema without losing a write?",
		context: "40 million rows, 600 writes a second at noon. The old schema must be gone by the end of the quarter.",
		right:   "outbox",
		lines: []line{
			{by: "archivist", say: says(found(0.92, "The 2023 move froze writes for a planned 20 minutes. It took 47.", "incident 2023-118, timeline"))},
			{by: "planner", say: says(
				agents.Propose("freeze", "Freeze writes for 20 minutes on Sunday, copy the table, switch.", 0.7, "one moment of truth, nothing to reconcile afterwards"),
				agents.Agree("freeze", 0.7, "a quiet hour is cheap"))},
			{by: "sre", say: says(
				agents.Propose("dual-write", "Write to both schemas behind a flag, backfill in batches, cut over by shard.", 0.75, "no downtime, and each shard can go back alone"),
				agents.Agree("dual-write", 0.8, "every step can be undone"))},
			{by: "verifier", when: "20 minutes on Sunday", round: 2, say: doubts("freeze", "20 minutes was the plan in 2023 too. Nothing says that it holds this time.", signals.High)},
			{by: "critic", when: "behind a flag", round: 2, say: doubts("dual-write", "Two writes are not one: a crash between them leaves the schemas apart.", signals.Medium)},
			{by: "archivist", when: "20 minutes on Sunday", round: 2, say: says(agents.Disagree("freeze", 0.85, "47 minutes in 2023, and the table has grown since"))},
			{by: "verifier", when: "behind a flag", round: 2, say: says(agents.Agree("dual-write", 0.6, "shard by shard can be undone"))},
			{by: "analyst", when: "20 minutes on Sunday", round: 2, say: says(agents.Agree("freeze", 0.55, "two schemas for weeks cost about $1,900 of storage"))},

			{by: "planner", debate: "freeze", say: argues("dual-write", "A freeze is one change of state that anyone can check. Two writers are a distributed transaction written by hand.")},
			{by: "sre", debate: "dual-write", say: argues("freeze", "47 minutes without orders cost about $61,000. A flag can be turned off in a second.")},

			{by: "verifier", when: "distributed transaction", say: says(
				measured("verifier", "rehearse", "212 of 50,000 orders (0.42 %) differ after 40 kills of the writer.", 64000))},
			{by: "critic", when: "212 of 50,000", say: says(
				agents.Propose("outbox", "Write once, with an outbox row in the same transaction; a relay fills the new schema; cut over shard by shard.", 0.85, "the database itself makes the two writes one; the rest of dual-write stays"),
				agents.Agree("outbox", 0.95, "one transaction, one truth"))},
			{by: "sre", when: "outbox row", say: says(
				agents.Disagree("dual-write", 0.7, "I was wrong about the flag"),
				agents.Agree("outbox", 0.9, "it keeps what I wanted, shard by shard, and loses nothing"))},
			{by: "verifier", when: "outbox row", say: says(
				agents.Disagree("dual-write", 0.8, "my own rehearsal speaks against it"),
				agents.Agree("outbox", 0.9, "no interleaving that I tried loses a row"))},
			{by: "archivist", when: "outbox row", say: says(agents.Agree("outbox", 0.85, "payments moved like this in 2024, nothing lost"))},
			{by: "planner", when: "outbox row", say: says(agents.Disagree("outbox", 0.5, "two weeks of two schemas need more care than one long Sunday"))},
			{by: "analyst", when: "outbox row", say: says(agents.Agree("outbox", 0.6, "the storage is cheaper than one lost order"), agents.Disagree("freeze", 0.4, "61,000 is more than 1,900"))},
		},
	},
	{
		task:    "How long may we keep the raw access logs?",
		context: "Policy allows 7 days for personal data. Fraud wants 30.",
		lines: []line{
			{by: "planner", say: says(
				agents.Propose("thirty-days", "Keep raw logs for 30 days, encrypted, with access by ticket.", 0.7, "fraud cases surface after two weeks on average"),
				agents.Agree("thirty-days", 0.6, "two weeks on average means that seven days miss most"))},
			{by: "critic", say: says(
				agents.Propose("seven-days", "Keep raw logs for 7 days, and hashes for 90.", 0.75, "policy says so, and hashes answer most questions"),
				agents.Agree("seven-days", 0.75, "we have promised it"))},
			{by: "archivist", say: says(found(0.9, "31 of 40 fraud cases of last year were reported after day 7.", "case files 2025"))},
			{by: "analyst", when: "31 of 40", say: says(agents.Agree("thirty-days", 0.7, "31 cases of 40 would have been lost"))},
			{by: "verifier", when: "policy says so", round: 2, say: func(t *agents.Turn) []signals.Any {
				if answerIn(t) != nil {
					return nil
				}
				return []signals.Any{signals.New(signals.Header{Confidence: 1}, signals.Escalation{
					Reason:  "May raw access logs be kept for 30 days?",
					Context: "Fraud needs them: 31 of 40 cases surface after day 7. Policy allows 7 days for personal data; only a person can grant more.",
				})}
			}},
			{by: "planner", when: answered, say: follow},
			{by: "sre", when: answered, say: follow},
			{by: "critic", when: answered, say: follow},
			{by: "verifier", when: answered, say: follow},
			{by: "archivist", when: answered, say: follow},
		},
	},
	{
		task:    "How often do we retry a payment that timed out?",
		context: "The provider bills each attempt, and de-duplicates by key for 24 hours.",
		right:   "three",
		lines: []line{
			{by: "sre", say: says(
				agents.Propose("three", "Three times within a minute, with jitter and the same key.", 0.8, "most timeouts pass within seconds"),
				agents.Agree("three", 0.8, "it hides blips and spares the provider"))},
			{by: "verifier", say: says(measured("verifier", "query", "of 10,412 timeouts, 96.1 % succeed by the third attempt", 840))},
			{by: "planner", when: "96.1", say: says(agents.Agree("three", 0.8, "96 % is enough, the rest is for people"))},
			{by: "archivist", when: "96.1", say: says(agents.Agree("three", 0.75, "six attempts got us blocked in 2022"))},
			{by: "analyst", when: "same key", say: says(agents.Agree("three", 0.7, "a fourth attempt costs more than it saves"))},
			{by: "critic", when: "same key", say: says(agents.Agree("three", 0.65, "as long as the key is stored before the first attempt"))},
			{by: "verifier", when: "same key", say: says(agents.Agree("three", 0.9, "measured"))},
		},
	},
	{
		task:    "Which message broker do we standardise on?",
		context: "Three are in use. Each team likes its own.",
		lines: []line{
			{by: "planner", say: says(
				agents.Propose("broker-a", "Broker A for everything.", 0.6, "most teams have it"), agents.Agree("broker-a", 0.6, "most teams have it"))},
			{by: "sre", say: says(
				agents.Propose("broker-b", "Broker B for everything.", 0.6, "it has never woken me up"), agents.Agree("broker-b", 0.6, "it has never woken me up"))},
			{by: "critic", when: "most teams have it", round: 2, say: says(
				agents.Disagree("broker-a", 0.6, "it loses messages when a disk is full"), agents.Disagree("broker-b", 0.6, "nobody knows how it fails"))},
			{by: "verifier", when: "most teams have it", round: 2, say: says(agents.Agree("broker-a", 0.5, "my tests passed"))},
			{by: "archivist", when: "never woken", round: 2, say: says(agents.Agree("broker-b", 0.5, "the archive runs on it"))},
			{by: "analyst", when: "most teams have it", round: 2, say: says(
				agents.Disagree("broker-a", 0.5, "licences"), agents.Disagree("broker-b", 0.5, "people who know it cost more"))},
			{by: "planner", debate: "broker-a", say: argues("broker-b", "What has never failed has never been understood.")},
			{by: "sre", debate: "broker-b", say: argues("broker-a", "A full disk is not an accident, it is Tuesday.")},
		},
	},
	{
		task:    "Do we fail over to the second region on Friday?",
		context: "The second region has never taken all of the traffic.",
		right:   "failover",
		lines: []line{
			{by: "sre", say: says(
				agents.Propose("failover", "Fail over on Friday at six, with everyone at their desks.", 0.75, "a failover that nobody has tried is a hope"),
				agents.Agree("failover", 0.75, "better on a Friday of ours than on a night of its own"))},
			{by: "critic", say: says(
				agents.Propose("wait", "Wait until the caches of the second region are warm.", 0.65, "cold caches are what hurt us in March"),
				agents.Agree("wait", 0.65, "cold caches are what hurt us in March"))},
			{by: "verifier", when: "nobody has tried", round: 2, rehearse: "failover with cold caches", refused: agents.Abstain("failover", 0.5, "I was not allowed to rehearse it"), say: says(agents.Agree("failover", 0.9, "rehearsed: 3 of 12,000 requests failed"))},
			{by: "planner", when: "3 of 12,000", say: says(agents.Agree("failover", 0.8, "it was rehearsed"))},
			{by: "critic", when: "3 of 12,000", say: says(agents.Disagree("wait", 0.6, "the rehearsal had cold caches"), agents.Agree("failover", 0.7, "three requests are fewer than I feared"))},
			{by: "analyst", when: "3 of 12,000", say: says(agents.Agree("failover", 0.7, "three failed requests cost about $9"))},
			{by: "archivist", when: "3 of 12,000", say: says(agents.Agree("failover", 0.6, "March had 900"))},
			{by: "planner", when: "not allowed to rehearse", say: says(agents.Agree("wait", 0.7, "it may not be rehearsed, so we do not know"))},
			{by: "archivist", when: "not allowed to rehearse", say: says(agents.Agree("wait", 0.7, "March had 900 failed requests"))},
			{by: "analyst", when: "not allowed to rehearse", say: says(agents.Agree("wait", 0.7, "900 failed requests cost about $2,700"))},
		},
	},
}
