package runlog_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// TestAVoterIsOfTheModelThatAnsweredWhenItLastVoted compares the groups of voters, after turns in
// which their own model or another answered, with what the last vote of each says.
func TestAVoterIsOfTheModelThatAnsweredWhenItLastVoted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		options := &consensus.Options{Quorum: 1, Electorate: []string{"ann", "bob", "cid"}}
		if rapid.Bool().Draw(t, "groups") {
			options.Groups = map[string]string{"ann": "openai:x", "bob": "groq:y", "cid": "cid"}
		}
		thread := runlog.New("t")
		if err := thread.Votes.CountBy(consensus.Voting{}, options, nil); err != nil {
			t.Fatal(err)
		}
		seq := uint64(0)
		say := func(source string, round int, p func(h signals.Header) signals.Any) {
			seq++
			thread.Apply(p(signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("sig_", seq)), Thread: "t", Source: source, Round: int32(round), Confidence: 1}))
			if err := thread.Votes.Err(); err != nil {
				t.Fatal(err)
			}
		}
		say("ann", 1, func(h signals.Header) signals.Any {
			return signals.New(h, signals.Proposal{ProposalID: "a", Content: "a"})
		})
		last := map[string]string{}
		for round := 1; round < 6; round++ {
			for _, who := range options.Electorate {
				model := rapid.SampledFrom([]string{"", "openai:x", "gemini:z"}).Draw(t, "model")
				if model != "" {
					say(who, round, func(h signals.Header) signals.Any {
						return signals.New(h, agents.Fallback{Model: model, For: "its own"})
					})
				}
				if rapid.Bool().Draw(t, "votes") {
					last[who] = model
					say(who, round, func(h signals.Header) signals.Any {
						return signals.New(h, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1})
					})
				}
			}
		}
		fell := slices.ContainsFunc(slices.Collect(maps.Values(last)), func(model string) bool { return model != "" })
		want, got, again := map[string]string{}, map[string]string{}, map[string]string{}
		counted, err := thread.Votes.CountedBy(consensus.Voting{}, options, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, who := range options.Electorate {
			want[who] = cmp.Or(last[who], options.Groups[who])
			if fell {
				want[who] = cmp.Or(want[who], who)
			}
			got[who], _ = thread.Votes.Round().Ballots().Group(who)
			again[who], _ = counted.Ballots().Group(who)
		}
		if d := diff.Diff(want, got); d != "" {
			t.Error(d)
		}
		if d := diff.Diff(got, again); d != "" {
			t.Error("counted anew:", d)
		}
	})
}
