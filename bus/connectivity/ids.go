package connectivity

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// IDs is an immutable list of signal ids. The zero value is empty.
type IDs struct {
	first signals.ID // most lists have one id and need no more space
	rest  *[]signals.ID
}

// ListOf returns a list of these ids.
func ListOf(ids ...signals.ID) IDs {
	if len(ids) == 0 {
		return IDs{}
	}
	l := IDs{first: ids[0]}
	if len(ids) > 1 {
		rest := slices.Clone(ids[1:])
		l.rest = &rest
	}
	return l
}

// Len returns the number of ids.
func (l IDs) Len() int {
	switch {
	case l.first.IsZero():
		return 0
	case l.rest == nil:
		return 1
	}
	return 1 + len(*l.rest)
}

// All returns the ids in order.
func (l IDs) All() iter.Seq[signals.ID] {
	return func(yield func(signals.ID) bool) {
		if l.first.IsZero() || !yield(l.first) || l.rest == nil {
			return
		}
		for _, id := range *l.rest {
			if !yield(id) {
				return
			}
		}
	}
}

// MarshalJSON returns an array of strings.
func (l IDs) MarshalJSON() ([]byte, error) {
	return json.Marshal(slices.AppendSeq([]signals.ID{}, l.All()))
}

// UnmarshalJSON reads an array of strings, none of them empty.
func (l *IDs) UnmarshalJSON(data []byte) error {
	var ids []signals.ID
	if err := json.Unmarshal(data, &ids); err != nil {
		return err
	}
	if slices.ContainsFunc(ids, signals.ID.IsZero) {
		return &signals.FieldError{Field: "signals", Problem: "an empty id"}
	}
	*l = ListOf(ids...)
	return nil
}
