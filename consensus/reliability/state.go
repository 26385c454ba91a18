package reliability

import (
	"encoding/json"
	"fmt"
	"maps"
)

// state is the saved form of a book.
type state struct {
	Version     int               `json:"version"`
	Options     Options           `json:"options"`
	Voters      []string          `json:"voters"`
	Groups      map[string]string `json:"groups,omitempty"` // by voter
	Decisions   []decision        `json:"decisions"`
	Votes       batch             `json:"votes"`
	Learned     int               `json:"learned"`
	Resolved    int               `json:"resolved"`
	Changed     int               `json:"changed,omitempty"`
	Looked      int               `json:"looked,omitempty"`
	Since       []int             `json:"since,omitempty"`
	Model       *parameters       `json:"model,omitempty"`
	Known       int               `json:"known"` // number of voters that the model knows
	Certificate Certificate       `json:"certificate"`
}

const version = 1

// MarshalJSON saves the whole state: a restored book continues exactly as this one would.
func (b *Book) MarshalJSON() ([]byte, error) {
	b.ready()
	s := state{
		Version: version, Options: b.o, Voters: b.names, Groups: b.groups, Decisions: b.decisions, Votes: b.batch,
		Learned: b.learned, Resolved: b.resolved, Changed: b.changed, Looked: b.looked, Since: b.since,
	}
	if b.model != nil {
		s.Model, s.Known, s.Certificate = b.model.params, len(b.model.voters), b.model.certificate
	}
	return json.Marshal(s)
}

// UnmarshalJSON restores a saved book. If p is not one, it returns an error and does not change b.
func (b *Book) UnmarshalJSON(p []byte) error {
	var s state
	if err := json.Unmarshal(p, &s); err != nil {
		return fmt.Errorf("reliability: %w", err)
	}
	if err := s.check(); err != nil {
		return fmt.Errorf("reliability: not a saved book: %w", err)
	}
	var restored Book
	restored.open(s.Options.withDefaults())
	s.Votes.Choices = restored.batch.Choices // earlier versions saved the largest number of own proposals instead
	restored.batch, restored.names, restored.told = s.Votes, s.Voters, s.Votes.known()
	restored.learned, restored.resolved, restored.changed = s.Learned, s.Resolved, s.Changed
	restored.looked, restored.since = s.Looked, s.Since
	for j, name := range s.Voters {
		restored.voters[name] = int32(j)
	}
	maps.Copy(restored.groups, s.Groups)
	at := 0
	for _, d := range s.Decisions {
		d.from = at
		at += d.Rows
		restored.append(d)
	}
	if s.Model != nil {
		restored.model = s.restore(&restored)
	}
	*b = restored
	return nil
}

func (s *state) restore(b *Book) *Model {
	s.Model.tables()
	m := &Model{kind: b.kind, voters: make(map[string]int32, s.Known), params: s.Model, certificate: s.Certificate}
	for j, name := range s.Voters[:s.Known] {
		m.voters[name] = int32(j)
	}
	return m
}
