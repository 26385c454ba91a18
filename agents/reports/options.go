package reports

import (
	"cmp"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// Options are the limits of a [Gate]. Nil and zero fields mean the defaults.
type Options struct {
	// The maximum number of each in a report; only the first ones are
	// considered. 0 means 2 findings, 1 learning, 1 escalation and 8 artifacts;
	// <0 none.
	Findings, Learnings, Escalations, Artifacts int

	Confidence float64       // the minimum for a finding or a learning; 0 means 0.55, <0 any
	Window     time.Duration // within which the same claim of a worker on a task is a duplicate; 0 means 15 minutes, <0 none
	Cooldown   time.Duration // within which a worker may not repeat an escalation; 0 means 90 seconds, <0 none
	Expiry     time.Duration // time limit for deciding an escalation; 0 means 24 hours
	Open       int           // maximum number of a worker's undecided escalations; 0 means 4
	TextBytes  int           // maximum length of one text; 0 means 4096, at most 64 KiB
	// Keep is how many turns, claims (with reasons of escalations), findings and
	// escalations are remembered for each worker, the newest of each. 0 means 1024.
	Keep int
}

func (o *Options) withDefaults() (Options, error) {
	all := *cmp.Or(o, new(Options))
	all.Findings = max(cmp.Or(all.Findings, 2), 0)
	all.Learnings = max(cmp.Or(all.Learnings, 1), 0)
	all.Escalations = max(cmp.Or(all.Escalations, 1), 0)
	all.Artifacts = max(cmp.Or(all.Artifacts, 8), 0)
	all.Confidence = max(cmp.Or(all.Confidence, 0.55), 0)
	all.Window = cmp.Or(all.Window, 15*time.Minute)
	all.Cooldown = cmp.Or(all.Cooldown, 90*time.Second)
	all.Expiry = cmp.Or(all.Expiry, 24*time.Hour)
	all.Open = cmp.Or(all.Open, 4)
	all.TextBytes = cmp.Or(all.TextBytes, 4096)
	all.Keep = cmp.Or(all.Keep, 1024)
	switch {
	case all.Confidence > 1 || all.Confidence != all.Confidence:
		return all, signals.Unit("confidence", all.Confidence)
	case all.Open < 0 || all.TextBytes < 0 || all.TextBytes > signals.DefaultTextBytes || all.Keep < 0 || all.Expiry < 0:
		return all, problem("options", "", "open, textBytes, keep or expiry out of range")
	}
	return all, nil
}
