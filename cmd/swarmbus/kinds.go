package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// newCodec returns a codec for all kinds of this program, with texts as long as a
// bus let pass.
func newCodec() (*signals.Codec, error) {
	c, err := signals.NewCodec(slices.Concat(runlog.Kinds(), reports.Payloads())...)
	if err == nil {
		c.Limits.TextBytes = -1
	}
	return c, err
}

// checkKinds refuses a kind that is neither one of this program nor in the run, which
// may be of another program.
func checkKinds(ctx context.Context, v *journal.View, asked []signals.Kind) error {
	codec, err := newCodec()
	if err != nil {
		return err
	}
	known := codec.Kinds()
	if !slices.ContainsFunc(asked, func(k signals.Kind) bool { return !slices.Contains(known, k) }) {
		return nil
	}
	for s, err := range said(ctx, v, false) {
		if err != nil {
			return err
		}
		if !slices.Contains(known, s.Kind()) {
			known = append(known, s.Kind())
		}
	}
	for _, k := range asked {
		if !slices.Contains(known, k) {
			return usage(fmt.Errorf("--kind %q is the kind of no signal%s", k, suggest(k, known)))
		}
	}
	return nil
}

// suggest names what is most like a word that is none of those known, if anything is.
func suggest[S ~string](word S, known []S) string {
	far := func(k S) int {
		if strings.Contains(string(k), string(word)) {
			return 0
		}
		return edits(string(word), string(k))
	}
	near := slices.MinFunc(known, func(a, b S) int { return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b)) })
	if far(near) > max(2, len(word)/3) {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// edits returns the least number of bytes to insert, remove or replace to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			same := diagonal
			if a[i] != b[j] {
				same++
			}
			diagonal = row[j+1]
			row[j+1] = min(same, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
