package reports

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/signals"
)

// Payloads returns the registrations of all payloads for a [signals.Codec].
func Payloads() []signals.Registration {
	return []signals.Registration{
		signals.For[Received](), signals.For[Progress](), signals.For[Completion](), signals.For[Failure](),
		signals.For[Block](), signals.For[ResearchFinding](), signals.For[WorkerFinding](), signals.For[ResearchLearning](),
		signals.For[WorkerLearning](), signals.For[Requested](), signals.For[Decided](), signals.For[Created](),
		signals.For[Rejected](), signals.For[Advisory](), signals.For[Turn](), signals.For[Ruling](),
	}
}

var codec = sync.OnceValue(func() *signals.Codec {
	c, err := signals.NewCodec(Payloads()...)
	if err != nil {
		panic(err) // the kinds are constant
	}
	return c
})

var kinds = sync.OnceValue(func() []signals.Kind {
	others, _ := signals.NewCodec(signals.For[Turn](), signals.For[Ruling]()) // and the built-in kinds
	return slices.DeleteFunc(codec().Kinds(), func(k signals.Kind) bool { return slices.Contains(others.Kinds(), k) })
})

// Kinds returns the kinds of all payloads of the package except [Turn] and
// [Ruling], which agents emit. They are
// reserved for the publisher of what a gate accepts.
func Kinds() []signals.Kind { return slices.Clone(kinds()) }

func ours(k signals.Kind) bool { return slices.Contains(kinds(), k) }

// Typed returns s with the payload type of its kind if it is one of the package's
// that a reader without [Payloads] read as [signals.Raw]. Any other signal is
// returned as it is.
func Typed(s signals.Any) signals.Any {
	if _, raw := s.Body().(signals.Raw); !raw || !slices.Contains(codec().Kinds(), s.Kind()) {
		return s
	}
	data, _ := json.Marshal(s)
	typed, err := codec().Unmarshal(data) // fails if Marshal did
	if err != nil {
		return s
	}
	return typed
}
