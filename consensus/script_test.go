package consensus_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/consensus"
)

var update = flag.Bool("update", false, "rewrite the scripts in testdata with what the strategies decide")

// TestScripts plays each script in testdata: a line is an option, "propose p", "vote" with a voter, stance,
// proposal and weight, "close", or "decide", which is followed by the decision of each strategy in a
// [Round].
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(script))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(script), got); diff != "" {
				t.Errorf("run with -update if this is right:\n%s", diff)
			}
		})
	}
}

func play(t *testing.T, script string) string {
	var out strings.Builder
	var rounds []*consensus.Round
	o := &consensus.Options{Ranks: map[string]int{}}
	seq := 0
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "  ") {
			continue // printed by the last run
		}
		out.WriteString(line)
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "threshold":
			scan(t, rest, &o.Threshold)
		case "quorum":
			scan(t, rest, &o.Quorum)
		case "rank":
			var name string
			var rank int
			scan(t, rest, &name, &rank)
			o.Ranks[name] = rank
		case "#", "":
		default:
			if rounds == nil {
				rounds = open(t, o)
			}
			seq++
			for _, r := range rounds {
				step(t, r, seq, word, rest, &out)
			}
		}
	}
	return out.String()
}

func scan(t *testing.T, line string, into ...any) {
	t.Helper()
	if _, err := fmt.Sscan(line, into...); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
}

func open(t *testing.T, o *consensus.Options) []*consensus.Round {
	var rounds []*consensus.Round
	for _, s := range consensus.Builtin() {
		r, err := consensus.NewRound(s, o)
		if err != nil {
			t.Fatal(err)
		}
		rounds = append(rounds, r)
	}
	return rounds
}

func step(t *testing.T, r *consensus.Round, seq int, word, rest string, out *strings.Builder) {
	var err error
	switch word {
	case "propose":
		err = r.Propose(rest)
	case "vote":
		err = r.Vote(parseVote(t, seq, rest))
	case "close":
		r.Close()
	case "decide":
		fmt.Fprintf(out, "  %v\n", r.Decision())
	default:
		t.Fatalf("unknown word %q", word)
	}
	if err != nil {
		t.Fatal(err)
	}
}
