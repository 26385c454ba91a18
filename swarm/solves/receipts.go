package solves

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Receipt is what the journal of a swarm has of a call that a tool got: what was sent, and what allowed
// it by the records before it.
type Receipt struct {
	Thread string
	Agent  string
	Turn   int
	Call   int    // of a tool within the turn, from 1
	Tool   string // the full name
	Sent   string // SHA-256 of the arguments that the tool got, in hexadecimal
	Record uint64 // of the journal, that says that the call begins
	Rule   string // by which it was judged

	// Question is that whose answer allows the call, with By, Verdict, At and Shown, the SHA-256 of what was
	// shown; "": the rule allows it.
	Question string
	By       string
	Verdict  asking.Verdict
	At       time.Time
	Shown    string

	How string // the call ended; "": no result is on record, and it may have been made
	// Problem says why the records before the call do not show that it was allowed; "": they do.
	Problem string
}

// Receipts returns a receipt for each call of a tool that began, in the order of the journal. It takes
// no record's word: the questions are folded up to the record that says that the call begins, as the gate
// before the call folded them. Calls that were refused or answered in place of their result did not begin.
func Receipts(ctx context.Context, j journal.Reader) ([]Receipt, error) {
	codec, err := runlog.NewCodec()
	if err != nil {
		return nil, err
	}
	past, after, err := open(j)
	if err != nil {
		return nil, err
	}
	defer past.Close()
	var all []Receipt
	last := map[journal.Key]int{} // without a request: the receipt of a call
	for record, err := range j.Read(after) {
		if err = cmp.Or(err, context.Cause(ctx)); err == nil {
			err = next(past, &record, codec)
		}
		if err != nil {
			return nil, err
		}
		var of journal.Key
		if record.Type != journal.TypeResult || json.Unmarshal(record.Head, &of) != nil {
			continue
		}
		of.Request = ""
		var began asking.Begun
		var ended struct{ How string }
		switch {
		case bytes.HasPrefix(record.Body, []byte(`{"begun"`)) && json.Unmarshal(record.Body, &began) == nil:
			last[of] = len(all)
			all = append(all, receipt(&past.Thread(of.Thread).Questions, of, record.Seq, began))
		case bytes.HasPrefix(record.Body, []byte(`{"result"`)) && json.Unmarshal(record.Body, &ended) == nil:
			if i, ok := last[of]; ok {
				all[i].How = ended.How
			}
		}
	}
	return all, nil
}

// receipt returns that of a call before which these questions were asked and answered.
func receipt(q *runlog.Questions, of journal.Key, record uint64, b asking.Begun) Receipt {
	r := Receipt{Thread: of.Thread, Agent: of.Agent, Turn: of.Turn, Call: of.Call, Tool: b.Tool, Sent: b.Sent, Record: record, Rule: b.Rule, Question: b.Question}
	var answer *asking.Answered
	for _, a := range q.Answers() {
		if a.Call.ID == b.Question {
			answer = &a
		}
	}
	switch {
	case b.Tool == "":
		r.Problem = "its record is of a program that kept no receipts"
		return r
	case b.Question == "":
		if b.Asks {
			r.Problem = fmt.Sprintf("the rule %s does not allow it, and it names no question", b.Rule)
		}
		return r
	case answer == nil:
		r.Problem = fmt.Sprintf("the question %s has no answer before it", b.Question)
		return r
	}
	asked, said := answer.Call, answer.Answer
	r.By, r.Verdict, r.At, r.Shown = cmp.Or(said.By, runlog.Person), said.Verdict, answer.At, said.Shown
	switch {
	case !said.Verdict.Makes():
		r.Problem = fmt.Sprintf("the answer of %s was %q", r.By, said.Verdict)
	case asked.Agent != of.Agent || asked.Tool != b.Tool:
		r.Problem = fmt.Sprintf("the question %s is of %s about %s", b.Question, asked.Agent, asked.Tool)
	case said.Shown != asked.Shown():
		r.Problem = "what was shown is not on record"
	case said.Verdict != asking.Solve && asking.Digest(cmp.Or(said.Args, asked.Args)) != b.Sent:
		r.Problem = "what was sent is not what was allowed"
	case said.Verdict != asking.Solve && (asked.Turn != of.Turn || asked.Call != of.Call):
		r.Problem = fmt.Sprintf("the question %s is about call %d of turn %d", b.Question, asked.Call, asked.Turn)
	}
	return r
}

// String returns the receipt on one line.
func (r Receipt) String() string {
	by := "the rule " + r.Rule
	if r.Verdict != "" {
		by = fmt.Sprintf("%s, %s, at %s (question %s)", r.By, r.Verdict, r.At.UTC().Format(time.RFC3339), r.Question)
	}
	if r.Problem != "" {
		by = "not shown to be allowed: " + r.Problem
	} else {
		by = "allowed by " + by
	}
	return fmt.Sprintf("record %d: %s called %s with %.12s…: %s; %s", r.Record, r.Agent, cmp.Or(r.Tool, "a tool"), r.Sent, by, cmp.Or(r.How, "no result is on record"))
}
