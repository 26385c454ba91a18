package reports_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
)

func instructions(t *testing.T, o *reports.Options) string {
	t.Helper()
	text, err := reports.Instructions(o)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// number returns what the text says where the pattern has its group.
func number(t *testing.T, text, pattern string) float64 {
	t.Helper()
	m := regexp.MustCompile(strings.ReplaceAll(pattern, " ", `\s+`)).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("the instructions do not say %q", pattern)
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestInstructionsAgreeWithTheGate reads the bounds out of the text, and
// files a report at each and one beyond it.
func TestInstructionsAgreeWithTheGate(t *testing.T) {
	for _, o := range []*reports.Options{nil, {
		Findings: 3, Learnings: 2, Escalations: 2, Artifacts: 4, Confidence: 0.7, Cooldown: 5 * time.Minute, Open: 3, TextBytes: 100,
	}} {
		text := instructions(t, o)
		for part, add := range map[string]func(*reports.Report, int){
			"findings": func(r *reports.Report, i int) { r.Findings = append(r.Findings, finding(turn(i), "claim "+turn(i))) },
			"learnings": func(r *reports.Report, i int) {
				r.Learnings = append(r.Learnings, learned(turn(i), 0.9, "insight "+turn(i), "known").Learnings...)
			},
			"escalations": func(r *reports.Report, i int) {
				r.Escalations = append(r.Escalations, escalation(turn(i), reports.Help, "reason "+turn(i)))
			},
			"artifacts": func(r *reports.Report, i int) {
				r.Artifacts = append(r.Artifacts, reports.Artifact{ArtifactID: turn(i), Kind: "file", Ref: "x"})
			},
		} {
			most := int(number(t, text, part+`, at most (\d+)`))
			d := newDesk(t, o)
			d.file(ann, found("t0", finding("known", "what is known")))
			r := quiet("t1")
			for i := range most + 1 {
				add(r, i)
			}
			if _, got := d.file(ann, r); len(got.Accepted) != most || why(got) != "[cap]" {
				t.Errorf("%s: at most %d, got %s", part, most, got)
			}
		}
		least := number(t, text, `confidence below ([\d.]+), it is rejected`)
		if least != number(t, text, `confidence has to be at least ([\d.]+), too`) {
			t.Error("two bounds on the confidence")
		}
		at, below := finding("a", "x"), finding("b", "y")
		at.Confidence, below.Confidence = least, least-0.001
		d := newDesk(t, o)
		if _, got := d.file(ann, found("t1", at, below)); why(got) != "[low_confidence]" {
			t.Errorf("confidence %v: %s", least, got)
		}
		if _, got := d.file(ann, learned("t2", least, "x", "a")); why(got) != "[]" {
			t.Errorf("learning at %v: %s", least, got)
		}
		if _, got := d.file(ann, learned("t3", least-0.001, "y", "a")); why(got) != "[low_confidence]" {
			t.Errorf("learning below %v: %s", least, got)
		}
		bytes := int(number(t, text, `No text has more than (\d+) bytes`))
		if _, got := d.file(ann, found("t4", finding("c", strings.Repeat("z", bytes)), finding("d", strings.Repeat("z", bytes+1)))); why(got) != "[invalid]" {
			t.Errorf("%d bytes: %s", bytes, got)
		}
		list := int(number(t, text, `no list more than (\d+) entries`))
		long, longer := finding("e", "long"), finding("g", "longer")
		long.EvidenceRefs, longer.EvidenceRefs = slices.Repeat(long.EvidenceRefs, list), slices.Repeat(long.EvidenceRefs, list+1)
		if _, got := d.file(ann, found("t5", long, longer)); why(got) != "[invalid]" {
			t.Errorf("%d entries: %s", list, got)
		}
		open := int(number(t, text, `more while (\d+) of yours wait`))
		for i := range open + 1 {
			_, got := d.file(ann, escalated(fmt.Sprint("o", i), escalation("e", reports.Help, fmt.Sprint("open ", i))))
			if (i == open) != (why(got) == "[cap]") {
				t.Errorf("open %d of %d: %s", i, open, got)
			}
		}
		span, err := time.ParseDuration(regexp.MustCompile(`again within (\S+) is rejected`).FindStringSubmatch(text)[1])
		if err != nil {
			t.Fatal(err)
		}
		for after, want := range map[time.Duration]string{span: "[cooldown]", span + 1: "[]"} {
			d := newDesk(t, o)
			d.file(ann, escalated("t1", escalation("e", reports.Help, "how")))
			d.now = d.now.Add(after)
			if _, got := d.file(ann, escalated("t2", escalation("e", reports.Help, "how"))); why(got) != want {
				t.Errorf("after %v: %s", after, got)
			}
		}
	}
}

// The examples in the text are reports, and come to what it says they are.
func TestInstructionsShowReportsThatAreAccepted(t *testing.T) {
	blocks := regexp.MustCompile(`(?ms)^\{.*?\n\n|^\{.*\}\n\z`).FindAllString(instructions(t, nil), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d examples", len(blocks))
	}
	for i, want := range []string{"ann t7 running", "ann t8 running: finding f1, learning l1"} {
		r, err := reports.Decode([]byte(blocks[i]))
		if err != nil {
			t.Fatal(err)
		}
		if _, got := newDesk(t, nil).file(ann, r); got.String() != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The four statements of the specification on the prompt, and the words of the
// schema that the text uses.
func TestInstructionsFollowTheSpecification(t *testing.T) {
	text := strings.Join(strings.Fields(instructions(t, nil)), " ")
	for _, want := range []string{
		"All four arrays are empty by default",
		"only a fact that you can point to evidence for",
		"only what changes the plan or the understanding",
		"only if you are blocked",
		"risky (\"approval\")",
		"need a decision",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the instructions do not say %q", want)
		}
	}
	words := string(reports.Schema())
	for _, m := range regexp.MustCompile(`"([a-z_]+)"`).FindAllStringSubmatch(text, -1) {
		if m[1] != "" && !strings.Contains(words, m[0]) && !strings.Contains(`"t7" "t8" "ann" "latency" "f1" "l1"`, m[0]) {
			t.Errorf("the schema has no %s", m[0])
		}
	}
}
