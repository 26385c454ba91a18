package reports_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/swarmbus/swarmbus/agents/reports"
)

// spelling writes a text in another way that says the same.
func spelling(r *rand.Rand, text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		switch r.IntN(8) {
		case 0:
			w = strings.ToUpper(w)
		case 1:
			w = "**" + w + "**"
		case 2:
			w = "\"" + w + "\""
		case 3:
			w += ","
		case 4:
			w = "_" + w + "_ "
		case 5: // full width
			w = strings.Map(func(c rune) rune {
				if c > ' ' && c < 0x7f && unicode.IsLetter(c) {
					return c + 0xfee0
				}
				return c
			}, w)
		case 6:
			w = w[:1] + "\u200b" + w[1:]
		}
		words[i] = w
	}
	ends := []string{"", ".", "!", " …", "\n", "  ", ")", "`"}
	return ends[r.IntN(len(ends))] + strings.Join(words, []string{" ", "  ", "\t", "\n", "\u00a0", " - "}[r.IntN(6)]) + ends[r.IntN(len(ends))]
}

func TestOneClaimInAHundredSpellingsIsOneClaim(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	d := newDesk(t, nil)
	seen := map[string]bool{}
	accepted, duplicates := 0, 0
	for n := 0; len(seen) < 100; n++ {
		claim := spelling(r, "the pool of 20 connections isn't enough: 84% of requests wait")
		if seen[claim] {
			continue
		}
		seen[claim] = true
		d.now = d.now.Add(8 * time.Second)
		_, got := d.file(ann, found(turn(n), finding("f", claim)))
		accepted += len(got.Accepted)
		if why(got) == "[duplicate]" {
			duplicates++
		}
	}
	if accepted != 1 || duplicates != 99 {
		t.Errorf("seed %d: %d accepted, %d duplicates, want 1 and 99", seed, accepted, duplicates)
	}
}

// Claims with different meanings are different claims.
func TestDifferentClaimsAreNotDuplicates(t *testing.T) {
	for _, pair := range [][2]string{
		{"x returns 1", "x returns -1"},
		{"takes 3.5 s", "takes 35 s"},
		{"a < b", "a > b"},
		{"a != b", "a = b"},
		{"written in C#", "written in C"},
		{"written in C++", "written in C"},
		{"written in C++", "written in C+"},
		{"costs 5 € more", "costs 5 more"},
		{"5€ is the price", "5 is the price"},
		{"costs € 5 more", "costs 5 more"},
		{"half: 50%", "half: 50"},
		{"costs $5", "costs €5"},
		{"it is now here", "it is nowhere"},
		{"see 1/2", "see 12"},
		{"the cafe is closed", "the café is closed"},
		{"it is slow", "it is not slow"},
		{"10:30", "1030"},
		{"他很慢", "他很快"},
		{"<5 ms", ">5 ms"},
		{"a = b", "a ≠ b"},
		{"List<String>", "List<Integer>"},
	} {
		d := newDesk(t, nil)
		if _, got := d.file(ann, found("t1", finding("a", pair[0]), finding("b", pair[1]))); why(got) != "[]" {
			t.Errorf("%q: %s", pair, got)
		}
	}
	for _, pair := range [][2]string{
		{"a<b", "a < b"},
		{"don't", "dont"},
		{"don’t", "don't"},
		{"50 %", "50%"},
		{"(5 of them)", "5 of them"},
		{"cafe\u0301", "café"},
		{"- 5 items", "5 items"},
		{"ﬁle", "file"},
		{"api_key", "API key"},
		{"x\u00adyz", "xyz"},
		{"STRASSE gesperrt", "straße gesperrt"},
		{"ΟΔΟΣ", "οδος"},
		{"don't", "donʼt"},
		{"don't", "don‘t"},
		{"don't", "don´t"},
		{"loses -5 ms", "loses \u22125 ms"},
		{"loses -5 ms", "loses \u20105 ms"},
		{"loses -5 ms", "loses \u20115 ms"},
		{"loses -5 ms", "loses \u20135 ms"},
		{"it is slow", "1. It is slow"},
		{"it is slow", "<b>it</b> is slow"},
		{"it is slow", "== it is slow =="},
		{"it is slow", "$it is slow$"},
		{"it is slow", "→ it is slow"},
		{"it is slow", "it ← is ⇿ slow"},
		{"it == slow", "it ==== slow"},
		{"it is slow", "∙ it is slow"},
		{"it is slow", "+ it is slow +++"},
		{"it is slow", "| it is slow |"},
	} {
		d := newDesk(t, nil)
		if _, got := d.file(ann, found("t1", finding("a", pair[0]), finding("b", pair[1]))); why(got) != "[duplicate]" {
			t.Errorf("%q: %s, want a duplicate", pair, got)
		}
	}
}

// What is put in front of a text or within it without being seen makes no other text,
// however often.
func TestOneClaimIsOneHoweverOftenItIsMarked(t *testing.T) {
	marks := []string{
		">", "> ", "+ ", "= ", "→ ", "~", "|", "\u034f", "\u115f", "\u17b4", "\u2065", "\u3164", "\ufe0f", "\uffa0", "\U000e0080",
		"\U000e0100", "\x00", "\b", "\u0085", "\u0334", "\u0336", "\u0337", "\u20dd",
	}
	for _, mark := range marks {
		d := newDesk(t, nil)
		accepted := 0
		for i := range 20 {
			_, got := d.file(ann, found(turn(i), finding("f", strings.Repeat(mark, i)+" the pool is exhausted")))
			accepted += len(got.Accepted)
			if within := strings.Repeat(mark, i); len(strings.Trim(mark, ">+=→~| ")) > 0 && mark != "\u0085" {
				_, got = d.file(ann, found(turn(100+i), finding("f", "the po"+within+"ol is exhausted")))
				accepted += len(got.Accepted)
			}
		}
		if accepted != 1 {
			t.Errorf("%q: %d accepted, want 1", mark, accepted)
		}
	}
}

// A flood costs the log a bounded number of signals, and is counted to the last.
func TestFloodsAreCappedAndCounted(t *testing.T) {
	d := newDesk(t, nil)
	r := quiet("t1")
	for i := range 60 {
		r.Findings = append(r.Findings, finding(fmt.Sprint("f", i), fmt.Sprint("claim ", i)))
		r.Learnings = append(r.Learnings, learned("t1", 0.9, fmt.Sprint("insight ", i), "f0").Learnings...)
		r.Escalations = append(r.Escalations, escalation(fmt.Sprint("e", i), reports.Help, fmt.Sprint("reason ", i)))
		r.Artifacts = append(r.Artifacts, reports.Artifact{ArtifactID: fmt.Sprint("a", i), Kind: "file", Ref: "x"})
	}
	_, got := d.file(ann, r)
	if len(d.log) != 2+2+1+1+8+4 {
		t.Errorf("%d signals", len(d.log))
	}
	c := d.gate.Counts()[reports.Reporter{Worker: "ann", Model: "m"}]
	if c.Accepted.Total() != 12 || c.Rejected[reports.ReasonCap] != 240-12 {
		t.Errorf("%+v\n%s", c, got)
	}
}

func TestAnEscalationInEveryTurnIsLimited(t *testing.T) {
	d := newDesk(t, nil)
	accepted := map[time.Duration]bool{}
	for n := range 60 { // one turn every 10 seconds
		d.now = start.Add(time.Duration(n) * 10 * time.Second)
		_, got := d.file(ann, escalated(turn(n), escalation("e", reports.Blocker, "I need the key")))
		if len(got.Accepted) > 0 {
			accepted[d.now.Sub(start)] = true
		}
	}
	if len(accepted) != 4 || !accepted[0] || !accepted[100*time.Second] || !accepted[200*time.Second] || !accepted[300*time.Second] {
		t.Errorf("accepted at %v", accepted)
	}
	c := d.gate.Counts()[reports.Reporter{Worker: "ann", Model: "m"}]
	if c.Reports != 60 || c.Accepted[reports.PartEscalation]+c.Rejected[reports.ReasonCooldown]+c.Rejected[reports.ReasonCap] != 60 || c.Rejected[reports.ReasonCooldown] == 0 || c.Rejected[reports.ReasonCap] == 0 {
		t.Errorf("%+v", c)
	}
	// In other words each time, a worker can have a few open.
	d = newDesk(t, nil)
	for n := range 60 {
		d.now = start.Add(time.Duration(n) * time.Hour)
		d.file(ann, escalated(turn(n), escalation("e", reports.Blocker, fmt.Sprint("I need key number ", n))))
		if open := len(d.gate.Open(d.now)); open > 4 {
			t.Fatalf("%d open after %d turns", open, n)
		}
	}
	c = d.gate.Counts()[reports.Reporter{Worker: "ann", Model: "m"}]
	if c.Accepted[reports.PartEscalation]+c.Rejected[reports.ReasonCap] != 60 || c.Accepted[reports.PartEscalation] != 12 { // 4 at once, for a day each
		t.Errorf("%+v", c)
	}
}

// The signals of any report are valid, bounded and counted.
func TestNonsenseIsBoundedAndCounted(t *testing.T) {
	texts := []string{"", " ", "x", "\xff", strings.Repeat("long ", 820), "\x00", "{{", "<script>", "f1", "t1", "ann"}
	numbers := []float64{0.9, 0.55, 0, 1, -1, 2, math.MaxFloat64, math.SmallestNonzeroFloat64}
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	text := func() string { return texts[r.IntN(len(texts))] }
	d := newDesk(t, nil)
	items, refused := 0, 0
	for n := range 500 {
		d.now = d.now.Add(time.Duration(r.IntN(100)) * time.Second)
		report := quiet(turn(n))
		for range r.IntN(4) {
			report.Findings = append(report.Findings, reports.Finding{FindingID: text(), Claim: text(), Confidence: numbers[r.IntN(len(numbers))], EvidenceRefs: reports.List{text(), text()}})
			report.Learnings = append(report.Learnings, reports.Learning{LearningID: text(), Insight: text(), Confidence: numbers[r.IntN(len(numbers))], Supports: reports.List{text()}})
			report.Escalations = append(report.Escalations, escalation(text(), reports.EscalationKind(text()), text()), escalation(text(), reports.Help, text()))
			report.Artifacts = append(report.Artifacts, reports.Artifact{ArtifactID: text(), Kind: "note", Ref: text()})
		}
		if r.IntN(10) == 0 {
			report.Summary = text()
		}
		from := len(d.log)
		j, _ := d.file(ann, report) // fails if a signal is not valid
		if j.Err != nil {
			refused++
			continue
		}
		items += len(report.Findings) + len(report.Learnings) + len(report.Escalations) + len(report.Artifacts)
		if len(d.log)-from > 18 {
			t.Fatalf("seed %d: %d signals of one report", seed, len(d.log)-from)
		}
	}
	counted := 0
	for _, c := range d.gate.Counts() {
		counted += c.Accepted.Total() + c.Rejected.Total()
	}
	if counted != items+refused || refused == 0 {
		t.Errorf("seed %d: %d items and %d refused reports, %d counted", seed, items, refused, counted)
	}
}

// The memory that a worker can make the gate use is bounded.
func TestMemoryOfAWorkerIsBounded(t *testing.T) {
	d := newDesk(t, &reports.Options{Keep: 10})
	for n := range 50 {
		r := found(turn(n), finding(fmt.Sprint("f", n), fmt.Sprint("claim ", n)))
		r.Model = fmt.Sprint("model ", n)
		d.file(ann, r)
	}
	if _, known := d.gate.Receipt("ann", turn(39)); known {
		t.Error("knows more turns than it keeps")
	}
	if _, known := d.gate.Receipt("ann", turn(40)); !known {
		t.Error("does not know the newest 10")
	}
	if n := len(d.gate.Counts()); n != 17 {
		t.Errorf("%d accounts", n)
	}
	if c := d.gate.Counts()[reports.Reporter{Worker: "ann", Model: "other"}]; c.Reports != 34 {
		t.Errorf("others: %+v", c)
	}
	_, got := d.file(ann, found("again", finding("f", "claim 49"), finding("g", "claim 1")))
	if why(got) != "[duplicate]" || len(got.Accepted) != 1 {
		t.Errorf("got %s", got)
	}
	_, got = d.file(ann, learned("l", 0.9, "old", "f1"))
	if why(got) != "[missing_evidence]" {
		t.Errorf("got %s", got)
	}
}

// A claim that was made again is as new as if it was made now.
func TestRepeatedClaimRenewsItsWindow(t *testing.T) {
	d := newDesk(t, &reports.Options{Keep: 2})
	d.file(ann, found("t1", finding("f", "one"), finding("g", "two")))
	d.now = d.now.Add(time.Hour)
	d.file(ann, found("t2", finding("f", "one"), finding("h", "three")))
	if _, got := d.file(ann, found("t3", finding("f", "one"))); why(got) != "[duplicate]" {
		t.Errorf("got %s", got)
	}
}
