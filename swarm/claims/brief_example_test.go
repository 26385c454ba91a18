package claims_test

import (
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

func ExampleBrief() {
	said := func(seq uint64, source string, replyTo signals.ID) signals.Header {
		return signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("sig_", seq)), Source: source, Thread: "t", ReplyTo: replyTo, Confidence: 1}
	}
	slow := said(1, "ann", signals.ID{})
	vote := func(seq uint64, voter string, on signals.ID, stance signals.Stance, why string) signals.Any {
		return signals.New(said(seq, voter, on), signals.Vote{ProposalID: "index", Stance: stance, Weight: 1, Reasoning: why})
	}
	thread := runlog.New("t")
	if err := thread.Votes.CountBy(consensus.Voting{}, &consensus.Options{Threshold: 0.6}, nil); err != nil {
		panic(err)
	}
	for _, s := range []signals.Any{
		signals.New(slow, signals.Discovery{Finding: "The table is scanned.", Relevance: 1}),
		signals.New(said(2, "ann", signals.ID{}), signals.Proposal{ProposalID: "index", Content: "Add an index."}),
		vote(3, "bob", slow.ID, signals.Agree, ""), vote(4, "cid", slow.ID, signals.Agree, ""), vote(5, "dan", signals.ID{}, signals.Disagree, "Writes get slower."),
	} {
		thread.Apply(s)
	}
	fmt.Println((&claims.Brief{
		Task: "Faster?", Decision: thread.Votes.Round().Decision(), Graph: claims.Of(thread.Log, thread.Votes.Show("")), Log: thread.Log,
	}).Text())
	// Output:
	// The answer is: Add an index [2].
	// It stands on The table is scanned [1]; 2 votes are for it.
	// Against it is dan: Writes get slower [5].
	// It would change without [1]: every vote for it rests on that.
}
