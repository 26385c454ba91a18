package wire

import (
	"encoding/json"
	"regexp"
	"slices"
)

// members are what the parts of a message have beside the members that are read.
type members map[string][]json.RawMessage

func (m *members) add(o Object, read ...string) {
	for name, value := range o {
		if o.Has(name) && !slices.Contains(read, name) {
			if *m == nil {
				*m = members{}
			}
			(*m)[name] = append((*m)[name], value)
		}
	}
}

func (m members) joined() Object {
	all := Object{}
	for name, values := range m {
		all[name] = joined(name, values)
	}
	return all
}

// goesOn matches the members whose strings are parts of one text: others are said again.
var goesOn = regexp.MustCompile(`reason|think|thought|text|summary|content|data`)

// joined returns the one value of which these are the parts: texts and lists go on, elements of
// one type and index are parts of one, so are the members of objects each by themselves, and of
// anything else the last part counts.
func joined(name string, parts []json.RawMessage) json.RawMessage {
	last := parts[len(parts)-1]
	if len(parts) == 1 || slices.ContainsFunc(parts, func(p json.RawMessage) bool { return p[0] != last[0] }) {
		return last
	}
	var to any = last
	switch last[0] {
	case '"':
		if !goesOn.MatchString(name) {
			return last
		}
		text := []byte{'"'}
		for _, p := range parts {
			text = append(text, p[1:len(p)-1]...)
		}
		to = json.RawMessage(append(text, '"'))
	case '[':
		same, order, list := members{}, []string{}, []json.RawMessage{}
		for _, part := range parts {
			for _, element := range (Object{"": part}).List("") {
				o := ObjectOf(element)
				key := o.Text("type") + " " + string(o["index"])
				if o["index"] == nil {
					key = string(element)
				}
				if same[key] == nil {
					order = append(order, key)
				}
				same[key] = append(same[key], element)
			}
		}
		for _, key := range order {
			list = append(list, joined("", same[key]))
		}
		to = list
	case '{':
		var m members
		for _, p := range parts {
			m.add(ObjectOf(p))
		}
		to = m.joined()
	}
	last, _ = json.Marshal(to)
	return last
}
