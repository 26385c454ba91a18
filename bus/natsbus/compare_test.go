package natsbus

import (
	"testing"

	"github.com/nats-io/nats.go"
)

// derives returns the comparison of a process that begins with a message, after messages
// whose hash is sum, and takes those up to another one; it derives something else from one of them.
func derives(first, sum, to, wrong uint64) *comparison {
	c := &comparison{sum: sum}
	c.begin(first)
	for seq := first; seq < to; seq++ {
		digest := []byte("right")
		if seq == wrong {
			digest = []byte("wrong")
		}
		c.add(seq, []byte("says"), []verdict{{first: firstOf(seq)}}, firstOf(seq), digest)
	}
	return c
}

// A process that joined with a snapshot has no messages before its own first one. It compares
// claims that begin before that one all the same, by the hash of all messages.
func TestClaimThatBeginsBeforeTheFirstMessageIsCompared(t *testing.T) {
	t.Parallel()
	const first, to = 8, 12
	before := derives(1, 0, first, 0).prefix()
	for _, c := range []struct {
		name            string
		sum             uint64 // of the snapshot
		wrong           uint64 // message from which the other process derives something else
		differs         bool
		compared, found uint64
	}{
		{name: "alike", sum: before, compared: to - first},
		{name: "a message differs", sum: before, wrong: 10, differs: true, found: 10},
		{name: "a message of the snapshot differs", sum: before, wrong: 3, differs: true},
		{name: "joined without the beginning", sum: 0, wrong: 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			other, late := derives(1, 0, to, c.wrong), derives(first, c.sum, to, 0)
			told := other.claims("other")
			if len(told) != 1 || told[0].From != 1 || told[0].To != to {
				t.Fatalf("%+v, want a claim about all messages", told)
			}
			if got := late.differs(told[0]); got != c.differs {
				t.Errorf("differs: %v, want %v", got, c.differs)
			}
			if _, got, _ := late.counts(); got != c.compared {
				t.Errorf("%d messages compared, want %d", got, c.compared)
			}
			asked := claim{From: first, To: to, Each: other.each(first, to)}
			if got := late.firstDifference(asked); c.differs && got != c.found {
				t.Errorf("first difference %d, want %d", got, c.found)
			}
		})
	}
}

// A claim about messages that a process has not read yet is compared when it has.
func TestClaimAboutMessagesToComeWaitsForThem(t *testing.T) {
	t.Parallel()
	other, late := derives(1, 0, 10, 8), derives(1, 0, 5, 0)
	told := other.claims("other")
	if len(told) != 1 || late.differs(told[0]) || len(late.due()) > 0 {
		t.Fatalf("compared before it was read: %+v", told)
	}
	for seq := uint64(5); seq < 10; seq++ {
		late.add(seq, []byte("says"), []verdict{{first: firstOf(seq)}}, firstOf(seq), []byte("right"))
	}
	if due := late.due(); len(due) != 1 || !late.differs(due[0]) || len(late.due()) > 0 {
		t.Errorf("%+v, want the claim, which differs", due)
	}
}

// Whoever claims something about messages far ahead does not keep out claims that are due soon.
func TestClaimThatIsDueLastGivesWayToOthers(t *testing.T) {
	t.Parallel()
	late := derives(1, 0, 5, 0)
	for i := range 2 * mostLater {
		late.differs(claim{Process: "eve", From: 5, To: uint64(1000 + i)})
	}
	told := derives(1, 0, 10, 8).claims("other")
	if late.differs(told[0]) || len(late.later) != mostLater {
		t.Fatalf("%d claims wait, want %d", len(late.later), mostLater)
	}
	for seq := uint64(5); seq < 10; seq++ {
		late.add(seq, []byte("says"), []verdict{{first: firstOf(seq)}}, firstOf(seq), []byte("right"))
	}
	if due := late.due(); len(due) != 1 || !late.differs(due[0]) {
		t.Errorf("%+v, want the claim that differs", due)
	}
}

// What became of a message is compared, also where it is in no log.
func TestVerdictsThatDifferAreCompared(t *testing.T) {
	t.Parallel()
	claims := map[string]claim{}
	for name, became := range map[string]struct {
		verdict
		conflicts uint64
	}{
		"in the log": {verdict{first: firstOf(1)}, 0}, "elsewhere": {verdict{first: firstOf(1) + 1}, 0}, "with a conflict": {verdict{first: firstOf(1)}, 1},
		Malformed: {verdict{dead: &DeadLetter{Reason: Malformed}}, 0}, Forged: {verdict{dead: &DeadLetter{Reason: Forged}}, 0},
	} {
		c := new(comparison)
		c.begin(1)
		c.add(1, []byte("says"), []verdict{became.verdict}, firstOf(1)+became.conflicts, nil)
		for other, of := range claims {
			if !c.differs(of) {
				t.Errorf("%s and %s are alike", name, other)
			}
		}
		claims[name] = c.claims(name)[0]
	}
}

// Streams with other messages at the same places are not the same log, whatever became of them.
func TestMessagesThatSaySomethingElseDiffer(t *testing.T) {
	t.Parallel()
	claims := map[string]claim{}
	for _, text := range []string{"one", "two"} {
		m := &message{seq: 1, subject: "s.log.t.discovery.ann", header: nats.Header{"ce-id": {text}}, data: []byte("data")}
		c := new(comparison)
		c.begin(1)
		c.add(1, m.digest(), []verdict{{first: firstOf(1)}}, firstOf(1), nil)
		claims[text] = c.claims(text)[0]
		if c.differs(claims["one"]) != (text == "two") {
			t.Errorf("%s: %+v", text, claims)
		}
	}
}

// What the history has dropped is not said to be missing in the log.
func TestDifferenceWithoutASignalSaysThatTheHistoryMayHaveDroppedIt(t *testing.T) {
	t.Parallel()
	want := "other derived something else from message 3: it has no signal in the history of this process, which has dropped it or never took it into the log"
	if got := (Difference{Process: "other", Seq: 3}).String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
