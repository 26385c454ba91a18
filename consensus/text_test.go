package consensus_test

import (
	"encoding"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/consensus"
)

// text is the method set of every enum of the package.
type text interface {
	encoding.TextMarshaler
	encoding.TextUnmarshaler
	String() string
}

func enums() map[string]func() text {
	return map[string]func() text{
		"pending reached rejected deadlocked uncertified": func() text { return new(consensus.Outcome) },
		"agree disagree abstain":                          func() text { return new(consensus.Stance) },
		"correlation intervention counterfactual":         func() text { return new(consensus.CausalLevel) },
		"unknown-proposal not-eligible superseded":        func() text { return new(consensus.Cause) },
	}
}

func TestEnumsTravelAsText(t *testing.T) {
	for words, fresh := range enums() {
		for _, word := range strings.Fields(words) {
			v := fresh()
			if err := v.UnmarshalText([]byte(word)); err != nil || v.String() != word {
				t.Errorf("%q becomes %v, %v", word, v, err)
			}
			if out, err := v.MarshalText(); err != nil || string(out) != word {
				t.Errorf("%q becomes %q, %v", word, out, err)
			}
		}
		if v := fresh(); v.UnmarshalText([]byte("Agree ")) == nil {
			t.Errorf("%q takes %q", words, "Agree ")
		}
	}
}

func TestEnumsRefuseToWriteValuesTheyCannotRead(t *testing.T) {
	for _, v := range []text{new(consensus.Outcome), new(consensus.Stance), new(consensus.Cause)} {
		if _, err := v.MarshalText(); err == nil {
			t.Errorf("%v is written", v)
		}
	}
	bad := consensus.CausalLevel(9)
	if _, err := bad.MarshalText(); err == nil || bad.String() != "CausalLevel(9)" {
		t.Errorf("%v is written", bad)
	}
}

func TestVotesAndDecisionsTravelAsJSON(t *testing.T) {
	v := consensus.Vote{
		Seq: 3, Voter: "v", ProposalID: "a", Stance: consensus.Disagree, Weight: 0.25, Reasoning: "no",
		CausalLevel: consensus.Intervention,
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"seq":3,"voter":"v","proposalId":"a","stance":"disagree","causalLevel":"intervention","weight":0.25,"reasoning":"no"}`
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
	var back consensus.Vote
	if err := json.Unmarshal(out, &back); err != nil || back != v {
		t.Errorf("%+v comes back as %+v, %v", v, back, err)
	}
	out, err = json.Marshal(consensus.Voting{}.Decide(cast(t, nil, "a", "2* v agree a 1")))
	if err != nil || !strings.HasPrefix(string(out), `{"strategy":"voting","outcome":"reached","choice":"a","leaders":["a"],"support":1,"none":0,`) {
		t.Errorf("%s, %v", out, err)
	}
}

func FuzzText(f *testing.F) {
	for words := range enums() {
		for _, word := range strings.Fields(words) {
			f.Add(word)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for words, fresh := range enums() {
			v := fresh()
			if v.UnmarshalText([]byte(s)) != nil {
				continue
			}
			if out, err := v.MarshalText(); err != nil || string(out) != s {
				t.Errorf("%s: %q comes back as %q, %v", words, s, out, err)
			}
		}
	})
}

func FuzzVote(f *testing.F) {
	f.Add([]byte(`{"seq":3,"voter":"v","proposalId":"a","stance":"agree","weight":0.25}`))
	f.Add([]byte(`{"voter":"v","proposalId":"a","stance":"agree","weight":1e999}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v consensus.Vote
		if json.Unmarshal(data, &v) != nil || v.Validate() != nil {
			return
		}
		b, err := consensus.NewBallots(&consensus.Options{Quorum: 1}, []string{v.ProposalID}, []consensus.Vote{v})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range consensus.Builtin() {
			d := s.Decide(b)
			if line := d.String(); strings.ContainsAny(line, "\n\r\x1b") || !(d.Confidence >= 0 && d.Confidence <= 1) {
				t.Errorf("%q", line)
			}
		}
	})
}

func TestSentenceShowsNoIDItself(t *testing.T) {
	const a, b, c, e = "hush-a", "hush-b", "hush-c", "hush-e"
	vote := func(voter, id string, s consensus.Stance) consensus.Vote {
		return consensus.Vote{Voter: voter, ProposalID: id, Stance: s, Weight: 1}
	}
	for want, votes := range map[string][]consensus.Vote{
		`1 of 2 agrees with "shown", 50 % of the voters; 70 % is needed`: {vote("v", a, consensus.Agree), vote("w", a, consensus.Disagree), vote("w", b, consensus.Disagree)},
		`"shown" and "shown" are tied, 50 % of the voters each`:          {vote("v", a, consensus.Agree), vote("w", b, consensus.Agree)},
		`"shown", "shown" and 2 more are tied, 25 % of the voters each`:  {vote("v", a, consensus.Agree), vote("w", b, consensus.Agree), vote("x", c, consensus.Agree), vote("y", e, consensus.Agree)},
		`more is against every proposal than for it: 1 of 2 disagrees with "shown", 1 of 2 disagrees with "shown", 2 of 2 disagree with "shown", and 1 more`: {
			vote("v", a, consensus.Disagree), vote("w", b, consensus.Disagree), vote("v", c, consensus.Disagree), vote("w", c, consensus.Disagree), vote("v", e, consensus.Disagree),
		},
	} {
		ballots, err := consensus.NewBallots(&consensus.Options{Quorum: 2}, []string{a, b, c, e}, votes)
		if err != nil {
			t.Fatal(err)
		}
		d := consensus.Voting{}.Decide(ballots)
		_, got, _ := strings.Cut(d.Sentence(func(string) string { return "shown" }), ": ")
		if !strings.HasPrefix(got, want) || strings.Contains(got, "hush") || !strings.Contains(d.Reason(), "hush") {
			t.Errorf("got %s, want %s; Reason is %s", got, want, d.Reason())
		}
	}
}

func TestSupportJustBelowTheThresholdIsNotShownAsTheThreshold(t *testing.T) {
	b := cast(t, nil, "a", "v agree a 0.69999", "w disagree a 0.30001").Close()
	if d := (consensus.ConfidenceWeighted{}).Decide(b); !strings.Contains(d.Reason(), "1 of 2 agrees, 69.999 % of the weight; 70 % is needed") {
		t.Error(d.Reason())
	}
}

// Every status has its sentence, with the quorum beside the support, and nothing is 100 %.
func TestSentenceOfEveryOutcome(t *testing.T) {
	show := func(id string) string { return "answer " + id }
	all := cast(t, nil, "a b", "v agree a 1", "w agree a 1")
	split := cast(t, nil, "a b", "v agree a 0.9", "w agree b 0.8", "x abstain b 1").Close()
	of := func(b consensus.Ballots, o consensus.Outcome, change func(*consensus.Decision)) consensus.Decision {
		d := consensus.ConfidenceWeighted{}.Decide(b)
		d.Outcome, d.Choice = o, ""
		change(&d)
		return d
	}
	none := func(*consensus.Decision) {}
	for want, d := range map[string]consensus.Decision{
		`reached "answer a": 2 of 2 agree with "answer a", all of the weight; 70 % is needed; 2 voted, the quorum is 2; over 99 % that it is right, by what is known of the voters`: of(all, consensus.Reached, func(d *consensus.Decision) {
			d.Choice, d.Confidence, d.Learned = "a", 1, true
		}),
		`settled "answer a": settled by debate, with a probability of 50 %: 1 of 2 agrees with "answer a", 52.9 % of the weight; 70 % is needed; 3 voted, the quorum is 2`: of(split, consensus.BySettlement, func(d *consensus.Decision) {
			d.Choice, d.By, d.Confidence = "a", "debate", 0.5
		}),
		`contested: 1 of 2 agrees with "answer a", 1 with "answer b", 52.9 % of the weight; 70 % is needed; 3 voted, the quorum is 2; 53 % that it is right, by the votes alone`: of(split, consensus.Contested, func(d *consensus.Decision) {
			d.Lacks, d.Confidence = "70 % is needed", 0.53
		}),
		`rejected: more is against every proposal than for it: 0 of 2 disagree with "answer a", 0 of 2 disagree with "answer b"; 3 voted, the quorum is 2; 75 % that none of these is right, by the votes alone`: of(split, consensus.Rejected, func(d *consensus.Decision) {
			d.Confidence = 0.75
		}),
		`open: 1 has voted; the quorum is 2`: of(cast(t, nil, "a", "v agree a 1"), consensus.Pending, none),
		`uncertified: 1 of 2 agrees with "answer a", but the voters have not been right often enough to tell; 3 voted, the quorum is 2; 45 % that it is right, by the votes alone`: of(split, consensus.Uncertified, func(d *consensus.Decision) { d.Confidence = 0.45 }),
		`answered "answer a": the answer of v alone, which is no consensus; 3 voted, the quorum is 2; under 1 % that it is right, by the votes alone`: of(split, consensus.Answered, func(d *consensus.Decision) {
			d.Choice, d.By, d.Confidence = "a", "v", 0
		}),
		`deadlocked: 1 of 2 agrees with "answer a", 52.9 % of the weight; 70 % is needed; 3 voted, the quorum is 2; 53 % that it is right, by the votes alone`: of(split, consensus.Deadlocked, func(d *consensus.Decision) { d.Confidence = 0.53 }),
	} {
		if got := d.Sentence(show); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestADecisionOfAFuncKnowsItsBallots(t *testing.T) {
	b := cast(t, nil, "a", "v agree a 1", "w disagree a 1")
	d := consensus.Func("mine", func(consensus.Ballots) consensus.Decision {
		return consensus.Decision{Outcome: consensus.Reached, Choice: "a", Support: 1, Because: "v,\nwho knows"}
	}).Decide(b)
	if d.Ballots().Voters() != 2 || d.Reason() != "the choice leads; v, who knows; a support of 100 %; 70 % is needed" {
		t.Errorf("%d voters: %q", d.Ballots().Voters(), d.Reason())
	}
}

func TestNoteCannotBreakTheLine(t *testing.T) {
	d := consensus.Decision{Strategy: "mine", Outcome: consensus.Pending, Note: "by weight,\n\x1b[31m since nothing is known"}
	if got, want := d.String(), `; by weight, \x1b[31m since nothing is known`; !strings.HasSuffix(got, want) || strings.Contains(got, "\n") {
		t.Errorf("%q, want it to end in %q", got, want)
	}
	e := d
	if e.Note = ""; e.Equal(d) {
		t.Error("equal, but for a note")
	}
}
