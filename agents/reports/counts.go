package reports

import "github.com/swarmbus/swarmbus/signals"

// An Account is a worker and model for which reports are counted.
type Account struct {
	Worker string
	Model  string // "" for none, "other" for those beyond the first 16 of a worker
}

// Counts are the results of an account's reports.
type Counts struct {
	Reports  int // accepted; those rejected as a whole are counted below
	Accepted PartCounts
	Rejected ReasonCounts
}

// PartCounts counts accepted items.
type PartCounts struct{ Findings, Learnings, Escalations, Artifacts int }

// ReasonCounts counts rejected items, and reports rejected as a whole.
type ReasonCounts struct{ Duplicate, LowConfidence, MissingEvidence, Cooldown, Cap, Invalid int }

// Total is the sum of all.
func (c PartCounts) Total() int { return c.Findings + c.Learnings + c.Escalations + c.Artifacts }

// Total is the sum of all.
func (c ReasonCounts) Total() int {
	return c.Duplicate + c.LowConfidence + c.MissingEvidence + c.Cooldown + c.Cap + c.Invalid
}

// maxModels limits the memory for a worker that names a different model each
// time.
const maxModels = 16

func (l *ledger) countsOf(model string) *Counts {
	if c := l.counts[model]; c != nil {
		return c
	}
	if len(l.counts) >= maxModels {
		model = "other"
	}
	if l.counts[model] == nil {
		l.counts[model] = new(Counts)
	}
	return l.counts[model]
}

func (l *ledger) count(s signals.Any) {
	switch p := s.Body().(type) {
	case Received:
		l.countsOf(p.Model).Reports++
	case ResearchFinding:
		l.countsOf(p.Model).Accepted.Findings++
	case WorkerFinding:
		l.countsOf(p.Model).Accepted.Findings++
	case ResearchLearning:
		l.countsOf(p.Model).Accepted.Learnings++
	case WorkerLearning:
		l.countsOf(p.Model).Accepted.Learnings++
	case Requested:
		l.countsOf(p.Model).Accepted.Escalations++
	case Created:
		l.countsOf(p.Model).Accepted.Artifacts++
	case Rejected:
		*l.countsOf(p.Model).Rejected.of(p.Reason) += p.Count
	}
}

func (c *ReasonCounts) of(r Reason) *int {
	switch r {
	case ReasonDuplicate:
		return &c.Duplicate
	case ReasonLowConfidence:
		return &c.LowConfidence
	case ReasonMissingEvidence:
		return &c.MissingEvidence
	case ReasonCooldown:
		return &c.Cooldown
	case ReasonCap:
		return &c.Cap
	}
	return &c.Invalid
}
