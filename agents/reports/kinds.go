package reports

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// The kinds of the signals that reports become. Their thread is the task and
// their source the worker, except for decisions and advisories.
const (
	KindReceived        signals.Kind = "worker.report.received"
	KindProgress        signals.Kind = "worker.task.progress"
	KindCompleted       signals.Kind = "worker.task.completed"
	KindFailed          signals.Kind = "worker.task.failed"
	KindBlocked         signals.Kind = "worker.task.blocked"
	KindResearchFinding signals.Kind = "research.finding.created"
	KindWorkerFinding   signals.Kind = "worker.finding.created"
	KindResearchInsight signals.Kind = "research.learning.created"
	KindWorkerInsight   signals.Kind = "worker.learning.created"
	KindRequested       signals.Kind = "worker.signal.escalation_requested"
	KindDecided         signals.Kind = "worker.signal.escalation_decided"
	KindArtifact        signals.Kind = "artifact.created"
	KindRejected        signals.Kind = "worker.signal.rejected"
	KindAdvisory        signals.Kind = "worker.advisory"
)

// Origin is the turn that a signal comes from. Worker and task are the header's
// source and thread.
type Origin struct {
	TurnID string `json:"turn_id"` // required, except for a report that could not be read
	Model  string `json:"model,omitempty"`
}

// Received says that a report was accepted. The signals of the report follow it
// directly.
type Received struct {
	Origin
	Status  Status `json:"status"`
	Summary string `json:"summary"`
	Digest  string `json:"digest"`  // SHA-256 of the report's content, in hexadecimal
	Signals int    `json:"signals"` // number of signals that follow
}

// Step is the content of the four signals on the state of a task.
type Step struct {
	Origin
	Summary string `json:"summary"`
}

// The payloads of the four kinds on the state of a task.
type (
	// Progress is the payload of KindProgress: the task continues.
	Progress struct{ Step }
	// Completion is the payload of KindCompleted.
	Completion struct{ Step }
	// Failure is the payload of KindFailed.
	Failure struct{ Step }
	// Block is the payload of KindBlocked.
	Block struct{ Step }
)

// The payloads of accepted findings and learnings. The header's confidence is
// theirs.
type (
	// ResearchFinding is the payload of KindResearchFinding.
	ResearchFinding struct {
		Origin
		Finding
	}
	// WorkerFinding is the payload of KindWorkerFinding: outside research.
	WorkerFinding struct {
		Origin
		Finding
	}
	// ResearchLearning is the payload of KindResearchInsight.
	ResearchLearning struct {
		Origin
		Learning
	}
	// WorkerLearning is the payload of KindWorkerInsight: outside research.
	WorkerLearning struct {
		Origin
		Learning
	}
)

// Requested is an accepted escalation, which waits for a [Decided].
type Requested struct {
	Origin
	Escalation
	Expires time.Time `json:"expires"` // deadline for the decision, inclusive
}

// Decided is the decision on an escalation. It replies to the request and is
// addressed to the worker. Its source is the decider.
type Decided struct {
	Decision
	EscalationID string `json:"escalation_id"` // the worker's name for it
}

// Created is the payload of KindArtifact.
type Created struct {
	Origin
	Artifact
}

// Rejected says which part of a report was rejected, and why.
type Rejected struct {
	Origin
	Part     Part       `json:"part"`
	Position int        `json:"position"`    // in the report, from 0; of the first, if several
	Ref      string     `json:"ref"`         // the worker's id for it, cut to 64 bytes
	Reason   Reason     `json:"reason"`      // one of six
	Detail   string     `json:"detail"`      // description with field and value
	Count    int        `json:"count"`       // number of items; more than 1 only for ReasonCap
	Of       signals.ID `json:"of,omitzero"` // the signal that it would repeat, if that is in the log
}

// Kind returns KindReceived.
func (Received) Kind() signals.Kind { return KindReceived }

// Kind returns KindProgress.
func (Progress) Kind() signals.Kind { return KindProgress }

// Kind returns KindCompleted.
func (Completion) Kind() signals.Kind { return KindCompleted }

// Kind returns KindFailed.
func (Failure) Kind() signals.Kind { return KindFailed }

// Kind returns KindBlocked.
func (Block) Kind() signals.Kind { return KindBlocked }

// Kind returns KindResearchFinding.
func (ResearchFinding) Kind() signals.Kind { return KindResearchFinding }

// Kind returns KindWorkerFinding.
func (WorkerFinding) Kind() signals.Kind { return KindWorkerFinding }

// Kind returns KindResearchInsight.
func (ResearchLearning) Kind() signals.Kind { return KindResearchInsight }

// Kind returns KindWorkerInsight.
func (WorkerLearning) Kind() signals.Kind { return KindWorkerInsight }

// Kind returns KindRequested.
func (Requested) Kind() signals.Kind { return KindRequested }

// Kind returns KindDecided.
func (Decided) Kind() signals.Kind { return KindDecided }

// Kind returns KindArtifact.
func (Created) Kind() signals.Kind { return KindArtifact }

// Kind returns KindRejected.
func (Rejected) Kind() signals.Kind { return KindRejected }

// Kinds returns all kinds of the package, which are reserved for the publisher
// of what a gate accepts.
func Kinds() []signals.Kind {
	return []signals.Kind{
		KindReceived, KindProgress, KindCompleted, KindFailed, KindBlocked, KindResearchFinding, KindWorkerFinding,
		KindResearchInsight, KindWorkerInsight, KindRequested, KindDecided, KindArtifact, KindRejected, KindAdvisory,
	}
}

// Payloads returns the registrations of these kinds for a [signals.Codec].
func Payloads() []signals.Registration {
	return []signals.Registration{
		signals.For[Received](), signals.For[Progress](), signals.For[Completion](), signals.For[Failure](),
		signals.For[Block](), signals.For[ResearchFinding](), signals.For[WorkerFinding](), signals.For[ResearchLearning](),
		signals.For[WorkerLearning](), signals.For[Requested](), signals.For[Decided](), signals.For[Created](),
		signals.For[Rejected](), signals.For[Advisory](), signals.For[Turn](),
	}
}

var codec = sync.OnceValue(func() *signals.Codec {
	c, err := signals.NewCodec(Payloads()...)
	if err != nil {
		panic(err) // the kinds are constant
	}
	return c
})

// Typed returns s with the payload type of its kind if it is one of the package's
// that a reader without [Payloads] read as [signals.Raw]. Any other signal is
// returned as it is.
func Typed(s signals.Any) signals.Any {
	if _, raw := s.Body().(signals.Raw); !raw || s.Kind() != KindTurn && !ours(s.Kind()) {
		return s
	}
	data, err := json.Marshal(s)
	if err != nil {
		return s
	}
	typed, err := codec().Unmarshal(data)
	if err != nil {
		return s
	}
	return typed
}
