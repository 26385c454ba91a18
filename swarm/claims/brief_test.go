package claims_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A log is the signals of a thread under construction.
type log []signals.Any

// add adds a signal, in reply to the one at a place, and returns its own place; 0: none.
func (l *log) add(source string, replyTo int, p signals.Payload) int {
	n := len(*l) + 1
	h := signals.Header{Seq: uint64(n), ID: id(n), Thread: "t", Source: source, Confidence: 1}
	if replyTo > 0 {
		h.ReplyTo = id(replyTo)
	}
	switch p := p.(type) {
	case signals.Discovery:
		*l = append(*l, signals.New(h, p))
	case signals.Proposal:
		*l = append(*l, signals.New(h, p))
	case signals.Vote:
		*l = append(*l, signals.New(h, p))
	case signals.Doubt:
		*l = append(*l, signals.New(h, p))
	case claims.Written:
		*l = append(*l, signals.New(h, p))
	}
	return n
}

func id(n int) signals.ID { return signals.MustID(fmt.Sprint("s_", n)) }

func (l *log) find(source, finding string) int {
	return l.add(source, 0, signals.Discovery{Finding: finding, Relevance: 1})
}

func (l *log) vote(source, on string, s signals.Stance, weight float64, why string, because int) int {
	return l.add(source, because, signals.Vote{ProposalID: on, Stance: s, Weight: weight, Reasoning: why})
}

// brief returns what an answer is written from.
func (l *log) brief(t interface{ Fatal(args ...any) }) *claims.Brief {
	thread := runlog.New("t")
	if err := thread.Votes.CountBy(consensus.ConfidenceWeighted{}, &consensus.Options{Threshold: 0.5}, nil); err != nil {
		t.Fatal(err)
	}
	for _, s := range *l {
		thread.Apply(s)
	}
	return &claims.Brief{Task: "Faster?", Decision: thread.Votes.Round().Decision(), Graph: claims.Of(thread.Log, thread.Votes.Show("")), Log: thread.Log}
}

func (l *log) line(t *testing.T, beginning string) string {
	t.Helper()
	for line := range strings.Lines(l.brief(t).Text()) {
		if strings.HasPrefix(line, beginning) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func TestTheDissentIsTheWeightiestReason(t *testing.T) {
	t.Parallel()
	var l log
	l.add("ann", 0, signals.Proposal{ProposalID: "index", Content: "Add an index."})
	l.vote("ann", "index", signals.Agree, 1, "", 0)
	l.vote("bob", "index", signals.Agree, 1, "", 0)
	against := l.find("cid", "Writes matter.")
	l.add("dan", 1, signals.Doubt{TargetSignalID: id(1), Concern: "Is it read?", Severity: signals.Low})
	l.add("eve", 1, signals.Doubt{TargetSignalID: id(1), Concern: "It is kept.", Severity: signals.Low})
	if got := l.line(t, "Against"); got != "Against it is eve: It is kept [6]." {
		t.Errorf("%q, want the newest objection", got)
	}
	l.vote("cid", "index", signals.Disagree, 0.9, "", against)
	if got := l.line(t, "Against"); got != "Against it is eve: It is kept [6]." {
		t.Errorf("%q, want the objection before the finding: the vote has no reason", got)
	}
	l.vote("fay", "index", signals.Disagree, 0.3, "It is slow.", 0)
	l.vote("gus", "index", signals.Disagree, 0.2, "It is ugly.", 0)
	if got := l.line(t, "Against"); got != "Against it is fay: It is slow [8]." {
		t.Errorf("%q, want the vote with a reason that weighs most", got)
	}
}

// A voter that is against the answer and for another one is quoted with what it says against it.
func TestTheDissentIsTheReasonAgainstTheAnswer(t *testing.T) {
	t.Parallel()
	var l log
	l.add("ann", 0, signals.Proposal{ProposalID: "index", Content: "Add an index."})
	l.add("bob", 0, signals.Proposal{ProposalID: "cache", Content: "Cache it."})
	l.vote("bob", "cache", signals.Agree, 0.9, "Memory is cheap.", 0)
	for _, voter := range []string{"ann", "cid", "dan"} {
		l.vote(voter, "index", signals.Agree, 1, "", 0)
	}
	if got := l.line(t, "Against"); got != "Against it is bob, for Cache it [2]: Memory is cheap [3]." {
		t.Errorf("%q, want what bob is for", got)
	}
	l.vote("bob", "index", signals.Disagree, 0.4, "Writes get slower.", 0)
	if got := l.line(t, "Against"); got != "Against it is bob: Writes get slower [7]." {
		t.Errorf("%q, want what bob has against the answer", got)
	}
}

func TestWithoutObjectionsTheDissentIsAFinding(t *testing.T) {
	t.Parallel()
	var l log
	l.add("ann", 0, signals.Proposal{ProposalID: "index", Content: "Add an index."})
	l.vote("ann", "index", signals.Agree, 1, "", 0)
	l.vote("bob", "index", signals.Agree, 1, "", 0)
	if got := l.line(t, "Against"); got != "" {
		t.Errorf("%q, and nothing is against it", got)
	}
	l.vote("cid", "index", signals.Disagree, 0.5, "", l.find("cid", "Writes matter."))
	if got := l.line(t, "Against"); got != "Against it is cid: Writes matter [4]." {
		t.Errorf("%q", got)
	}
}

// The answer depends most on the finding on which most of its own votes rest.
// What a voter had found stands beside its vote, which would count without it.
func TestWhatVotersHadFoundIsNotWhatTheAnswerStandsOn(t *testing.T) {
	t.Parallel()
	var l log
	found := l.find("ann", "It is scanned.")
	l.add("ann", 0, signals.Proposal{ProposalID: "index", Content: "Add an index."})
	l.vote("ann", "index", signals.Agree, 1, "", 0)
	if got, want := l.line(t, "No finding"), "No finding is named for it; 1 vote is for it, of voters who had found It is scanned [1]."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	l.vote("bob", "index", signals.Agree, 1, "", found)
	if got, want := l.line(t, "It stands"), "It stands on It is scanned [1]; 2 votes are for it."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWhatWouldChangeTheAnswerIsWhatMostVotesRestOn(t *testing.T) {
	t.Parallel()
	var l log
	l.add("ann", 0, signals.Proposal{ProposalID: "index", Content: "Add an index."})
	l.add("ann", 0, signals.Proposal{ProposalID: "wait", Content: "Wait."})
	few, most, others := l.find("ann", "Reads grow."), l.find("ann", "It is scanned."), l.find("ann", "Nobody waits.")
	l.vote("bob", "index", signals.Agree, 1, "", few)
	l.vote("cid", "index", signals.Agree, 1, "", most)
	l.vote("dan", "index", signals.Agree, 1, "", most)
	l.vote("eve", "index", signals.Agree, 1, "", others)
	for _, who := range []string{"fay", "gus", "hal"} {
		l.vote(who, "wait", signals.Agree, 0.1, "", others)
	}
	if got := l.line(t, "Of"); got != "Of 4 votes for it, 2 would not count without [4]." {
		t.Errorf("%q", got)
	}
	if got := l.line(t, "It would"); got != "" {
		t.Errorf("%q, and two votes are left", got)
	}
	if got := l.line(t, "It stands"); got != "It stands on Reads grow [3]; It is scanned [4]; Nobody waits [5]; 4 votes are for it." {
		t.Errorf("%q", got)
	}
	l.vote("ida", "index", signals.Agree, 1, "", l.find("ann", "A fourth one."))
	if got := l.line(t, "It stands"); strings.Contains(got, "fourth") || !strings.HasSuffix(got, "5 votes are for it.") {
		t.Errorf("%q, want three findings at most", got)
	}
}

func TestOfFindingsOnWhichAsManyVotesRestTheFirstIsNamed(t *testing.T) {
	t.Parallel()
	var l log
	l.add("ann", 0, signals.Proposal{ProposalID: "index", Content: "Add an index."})
	first, second := l.find("ann", "Reads grow."), l.find("ann", "It is scanned.")
	l.vote("bob", "index", signals.Agree, 1, "", second)
	l.vote("cid", "index", signals.Agree, 1, "", first)
	if got := l.line(t, "Of"); got != "Of 2 votes for it, 1 would not count without [2]." {
		t.Errorf("%q", got)
	}
}

func TestAnAnswerWouldChangeWithoutWhatEveryVoteForItRestsOn(t *testing.T) {
	t.Parallel()
	var l log
	l.add("ann", 0, signals.Proposal{ProposalID: "index", Content: "Add an index."})
	on, against := l.find("ann", "It is scanned."), l.find("bob", "Writes matter.")
	l.vote("cid", "index", signals.Disagree, 0.1, "", against)
	if got := l.line(t, "It would") + l.line(t, "Of"); got != "" {
		t.Errorf("%q, and no vote is for it", got)
	}
	l.vote("bob", "index", signals.Agree, 1, "", on)
	l.vote("dan", "index", signals.Agree, 1, "", on)
	if got := l.line(t, "It would"); got != "It would change without [2]: every vote for it rests on that." {
		t.Errorf("%q", got)
	}
}

func TestTheAnswerIsWholeHoweverLong(t *testing.T) {
	t.Parallel()
	var l log
	long := strings.Repeat("step by step ", 40) + "and the end"
	l.add("ann", 0, signals.Proposal{ProposalID: "index", Content: long + "."})
	l.vote("ann", "index", signals.Agree, 1, "", 0)
	l.vote("bob", "index", signals.Agree, 1, "", 0)
	if got, want := l.line(t, "The answer"), "The answer is: "+long+" [1]."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNothingThatLeadsIsNoAnswer(t *testing.T) {
	t.Parallel()
	var l log
	l.find("ann", "It is scanned.")
	if got := l.brief(t).Text(); got != "There is no answer: no proposal leads." {
		t.Error(got)
	}
}

func TestTheNewestWrittenAnswerIsTheAnswer(t *testing.T) {
	t.Parallel()
	var l log
	l.add("system", 0, claims.Written{Text: "first", By: "a"})
	l.add("system", 0, claims.Written{Text: "second", By: "b"})
	if got := claims.TemplateOf(l.brief(t)); got.Text != "second" {
		t.Errorf("%+v", got)
	}
}

// A pen counts how often it is asked.
type pen int

func (*pen) Name() string { return "pen" }

func (p *pen) Write(context.Context, *claims.Brief) (string, error) {
	*p++
	return "It is scanned [1].", nil
}

func TestNoWriterIsAskedAfterTheDeadline(t *testing.T) {
	t.Parallel()
	var l log
	l.find("ann", "It is scanned.")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("time is up"))
	var p pen
	if got := claims.Write(ctx, &p, l.brief(t)); p != 0 || got.By != "" || got.Why != "time is up" {
		t.Errorf("asked %d times: %+v", p, got)
	}
	if got := claims.Write(t.Context(), &p, l.brief(t)); p != 1 || got.By != "pen" {
		t.Errorf("asked %d times: %+v", p, got)
	}
}

// A scribe writes that text, or fails with that error.
type scribe struct {
	text string
	err  error
}

func (scribe) Name() string { return "scribe" }

func (s scribe) Write(context.Context, *claims.Brief) (string, error) { return s.text, s.err }

func TestATextThatIsNoTextIsTheTemplate(t *testing.T) {
	t.Parallel()
	var l log
	l.find("ann", "It is scanned.")
	for _, text := range []string{"They do it \xff [1].", "They do it \x00\x1b[2J [1].", "They do \u202eit [1]."} {
		if got := claims.Write(t.Context(), scribe{text: text}, l.brief(t)); got.By != "" || got.Why != claims.ErrPlain.Error() {
			t.Errorf("%q: %+v, want the template", text, got)
		}
	}
	why := strings.Repeat("x", 3<<20) + "\xff"
	if got := claims.Write(t.Context(), scribe{err: errors.New(why)}, l.brief(t)); len(got.Why) > 1100 || !utf8.ValidString(got.Why) {
		t.Errorf("the reason has %d bytes", len(got.Why))
	}
}

// hostile returns what an agent says: some of it hides, cites what is not in the log, or is too long.
func hostile(t *rapid.T) string {
	parts := []string{
		"it is so. ", "\x1b[31m", "\u202e", "\xff", "\x00", "\u0085", "\n\n", "[3]", "[ 3]", "[[9, 99]", "[1\x1b]", "[\xff9]", "[9\n, 9]", "[", "]", "9", ".", "…",
		strings.Repeat("long ", 2000), strings.Repeat("é", claims.MaxAnswer/2),
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 5).Draw(t, "said"), "")
}

// Whatever was said, the template cites what the check of a writer's text accepts: a writer
// that repeats the draft is not refused.
func TestTheTemplateCitesOnlyClaims(t *testing.T) {
	t.Parallel()
	open := 0
	rapid.Check(t, func(t *rapid.T) {
		var l log
		var made []conflict.Proposal
		for range rapid.IntRange(1, 20).Draw(t, "signals") {
			who, on := rapid.SampledFrom([]string{"ann", "bob\x1b[3]\xff", "cid\u202e"}).Draw(t, "who"), rapid.IntRange(0, len(l)).Draw(t, "on")
			p, said := fmt.Sprint("p", rapid.IntRange(0, 4).Draw(t, "p")), hostile(t)
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				l.add(who, on, signals.Discovery{Finding: said, Relevance: 1})
			case 1:
				content := rapid.SampledFrom([]string{"Do x.", "do x", said}).Draw(t, "content")
				n := l.add(who, on, signals.Proposal{ProposalID: p, Content: content})
				made = append(made, conflict.Proposal{Signal: id(n), Seq: uint64(n), Source: who, ProposalID: p, Content: content})
			case 2:
				stance := rapid.SampledFrom([]signals.Stance{signals.Agree, signals.Disagree, signals.Abstain}).Draw(t, "stance")
				l.vote(who, p, stance, 1, rapid.SampledFrom([]string{"", said}).Draw(t, "why"), on)
			default:
				if on > 0 {
					l.add(who, on, signals.Doubt{TargetSignalID: id(on), Concern: said, Severity: signals.Low})
				}
			}
		}
		b := l.brief(t)
		if n := len(made); n > 1 {
			b.Open, open = []conflict.Pair{{A: made[0], B: made[n-1]}}, open+1
		}
		if text := b.Text(); !strings.HasPrefix(text, "There is no answer") {
			if err := b.Check(text); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
		}
	})
	if open == 0 {
		t.Error("no conflict was ever open")
	}
}
