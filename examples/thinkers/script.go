package main

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
)

// What the server's model answers. It looks at who asks and at how many proposals
// there are; the wire is real, the wit is not.
const (
	pass = `{"say":[{"type":"pass","reason":"nothing to add"}]}`

	first = `{"say":[{"type":"proposal","content":"Retry up to five times, doubling the pause from 100 ms","reasons":"it gives an overloaded service room to recover","confidence":0.6}]}`
	found = `{"say":[{"type":"discovery","finding":"clients that failed together retry together","evidence":"without jitter their pauses are the same","relevance":0.9,"confidence":0.9}]}`

	better = `{"say":[{"type":"proposal","content":"Exponential backoff with full jitter, at most five tries, never sooner than Retry-After","reasons":"it spreads the load and does what the service asks for","confidence":0.85},
		{"type":"vote","proposal":"new","reasons":"it answers what the critic found","stance":"agree","confidence":0.85}]}`
	against = `{"say":[{"type":"vote","proposal":"P1","reasons":"I strongly disagree, because pauses without jitter keep clients in step","stance":"disagree","confidence":0.9}]}`
	doubts  = `{"say":[{"type":"doubt","about":"P1","concern":"it ignores Retry-After","severity":"medium","confidence":0.7}]}`

	agrees = `{"say":[{"type":"vote","proposal":"P2","reasons":"jitter takes the clients out of step","stance":"agree","confidence":0.9}]}`
	checks = `{"say":[{"type":"vote","proposal":"P2","reasons":"five tries with full jitter end within 3.1 s, which the task allows","stance":"agree","confidence":0.8}]}`
)

// lines are what each role says with no, one and two proposals on the table.
var lines = map[string][3]string{
	"planner":  {first, better, pass},
	"critic":   {found, against, agrees},
	"verifier": {pass, doubts, checks},
}

// script answers a request.
func script(_ int, r *models.Request) modelstest.Reply {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.System, "You are "), ",")
	role, _, _ := strings.Cut(name, "-")
	_, state, _ := strings.Cut(r.Messages[len(r.Messages)-1].Text, "The proposals as they stand:\n")
	proposals := min(2, strings.Count(state, `{"proposal":"P`))
	text := lines[role][proposals]
	if text == "" || strings.Count(state, `"yours"`) > 0 && proposals == 2 && strings.Contains(state[strings.Index(state, `"P2"`):], `"yours"`) {
		text = pass
	}
	return modelstest.Reply{Text: text, Usage: models.Usage{Input: bytesOf(r) / 4, Output: len(text) / 4}}
}

func bytesOf(r *models.Request) int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}

// spent says what a run took.
func spent(u models.Usage) string { return fmt.Sprintf("%d tokens in, %d out", u.Input, u.Output) }
