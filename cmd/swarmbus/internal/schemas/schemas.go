package schemas

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/join"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// kinds has the schema of the signals of each kind, by the name of the kind.
//
//go:embed signals.json
var kinds []byte

//go:embed asyncapi.json
var asyncapi []byte

// others are the descriptions that are not of a kind of signals.
var others = map[string]func() ([]byte, error){
	"asyncapi": func() ([]byte, error) { return asyncapi, nil },
	"openapi":  func() ([]byte, error) { return api.Describe("") },
	"join":     join.Describe,
	"frame":    api.FrameSchema,
	"report":   func() ([]byte, error) { return reports.Schema(), nil },
	"team":     func() ([]byte, error) { return []byte(teams.Schema()), nil },
}

// Names returns the names of all descriptions, sorted: those of kinds of signals, and
// asyncapi, openapi, join (the OpenAPI of members over HTTP), frame (of the console's
// feed), report (of a worker's turn) and team (a file).
func Names() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range ofKinds() {
			if !yield(name) {
				return
			}
		}
		maps.Keys(others)(yield)
	})
}

// Get returns a description as indented JSON.
func Get(name string) ([]byte, error) {
	var text []byte
	var err error
	if of, ok := others[name]; ok {
		text, err = of()
	} else if text = ofKinds()[name]; text == nil {
		err = fmt.Errorf("schemas: no schema %q", name)
	}
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(text), "", "  "); err != nil {
		return nil, fmt.Errorf("schemas: %s: %w", name, err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func ofKinds() (all map[string]json.RawMessage) {
	if err := json.Unmarshal(kinds, &all); err != nil {
		panic(err) // a test would see it
	}
	return all
}
