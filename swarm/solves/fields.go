package solves

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/internal/schema"
	"github.com/swarmbus/swarmbus/signals"
)

// A Field is a part of the value that was chosen, or that leads: how many of those who stand for a value
// have the same there, and who has what else.
type Field struct {
	Path  string          `json:"path"`            // such as owner or at.line; "": the whole value, which is no object
	Value json.RawMessage `json:"value,omitempty"` // canonical JSON; nil: the value has no such member
	Agree int             `json:"agree"`           // of Of
	Of    int             `json:"of"`              // how many stand for a value
	Other []Other         `json:"other,omitempty"` // what they have instead, most first
}

// Other is what some have in a [Field] instead.
type Other struct {
	Value json.RawMessage `json:"value,omitempty"` // nil: no such member
	By    []string        `json:"by"`
}

// Fields returns what is agreed on of the value that was chosen, or leads, field by field, in the order
// of their names. A voter stands for the value that it agrees with most. It is nil if the task has no
// schema, or nothing leads.
func (r *Result) Fields() []Field {
	leads := cmp.Or(r.Decision.Choice, r.Decision.Leader())
	if r.Task.Schema == "" || leads == "" {
		return nil
	}
	type stand struct {
		weight float64
		seq    uint64
		of     map[string]json.RawMessage
	}
	var value map[string]json.RawMessage
	stands, paths := map[string]stand{}, map[string]bool{}
	for _, p := range r.Proposals {
		of := fieldsOf(p.Proposal.Payload.Content)
		if p.ID() == leads {
			value = of
		}
		for _, v := range p.Votes {
			now := stand{cmp.Or(v.Payload.Weight, v.Confidence), v.Seq, of}
			was, known := stands[v.Source]
			if v.Payload.Stance == signals.Agree && (!known || cmp.Or(cmp.Compare(now.weight, was.weight), cmp.Compare(now.seq, was.seq)) > 0) {
				stands[v.Source] = now
			}
		}
	}
	for path := range value {
		paths[path] = true
	}
	for _, s := range stands {
		for path := range s.of {
			paths[path] = true
		}
	}
	all := []Field{}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		f := Field{Path: path, Value: value[path], Of: len(stands)}
		by := map[string][]string{}
		for _, voter := range slices.Sorted(maps.Keys(stands)) {
			by[string(stands[voter].of[path])] = append(by[string(stands[voter].of[path])], voter)
		}
		f.Agree = len(by[string(f.Value)])
		delete(by, string(f.Value))
		for _, other := range slices.Sorted(maps.Keys(by)) {
			o := Other{By: by[other]}
			if other != "" {
				o.Value = json.RawMessage(other)
			}
			f.Other = append(f.Other, o)
		}
		slices.SortStableFunc(f.Other, func(a, b Other) int { return len(b.By) - len(a.By) })
		all = append(all, f)
	}
	return all
}

// fieldsOf returns the fields of a value by their paths: the members of objects, also in objects.
func fieldsOf(value string) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	var add func(path []string, raw json.RawMessage)
	add = func(path []string, raw json.RawMessage) {
		var members map[string]json.RawMessage
		if strings.HasPrefix(string(raw), "{") && json.Unmarshal(raw, &members) == nil && len(members) > 0 {
			for name, of := range members {
				if name == "" || strings.ContainsAny(name, `."`) {
					name = strconv.Quote(name)
				}
				add(append(slices.Clip(path), name), of)
			}
			return
		}
		all[strings.Join(path, ".")] = raw
	}
	canonical, _ := schema.Canonical(value) // which a person may not have written
	add(nil, json.RawMessage(canonical))
	return all
}

// String returns the agreement on a field in words: "3 of 5; "Bob": carol, dan".
func (f Field) String() string {
	said := strconv.Itoa(f.Agree) + " of " + strconv.Itoa(f.Of)
	for _, o := range f.Other {
		said += "; " + cmp.Or(string(o.Value), "absent") + ": " + strings.Join(o.By, ", ")
	}
	return said
}
