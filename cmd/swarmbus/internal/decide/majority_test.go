package decide

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

var votesDir = flag.String("votes", "../../../../benchmarks/data/votes", "directory of sets of votes")

// majority is the accuracy of the plurality vote on each set, as published
// evaluations of these sets have it, in percent.
var majority = map[string]float64{
	"bluebird": 75.9, "rte": 89.7, "possent": 93.3, "product": 89.7, "sp": 88.6, "sp_amt": 94.3, "zc_in": 74.1,
	"dog": 82.2, "cf": 88.2, "cf_amt": 85.3, "ms": 70.4, "gsm8k": 96.9, "mmlupro": 60.0,
}

func TestLeaderOfVotingIsTheKnownMajority(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if got := cli.Run(t.Context(), New(), []string{"--votes", *votesDir, "--strategy", "voting", "--json"}, &stdout, &stderr); got != 0 {
		t.Fatalf("status %d: %s", got, stderr.String())
	}
	checked := 0
	for line := range strings.Lines(stdout.String()) {
		var s score
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		want, known := majority[s.Set]
		if !known {
			continue
		}
		checked++
		if got := 100 * *s.Leader; math.Abs(got-want) > 0.35 {
			t.Errorf("%s: the leader is right in %.2f%%, want %.1f%%", s.Set, got, want)
		}
	}
	if checked < 6 {
		t.Errorf("checked %d sets, want at least 6", checked)
	}
}
