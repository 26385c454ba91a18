package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
)

// calls are the calls of an answer, whose parts servers tell apart by an index, by an id,
// by both or by their order.
type calls []*call

type call struct {
	index, id, name string
	args            []string // as they came
	kept            members
}

// add adds a part of a call. Where it stands among several tells them apart if nothing else does.
func (cs *calls) add(o Object, place string, offered []models.Tool) {
	f := o.Object("function")
	if f == nil {
		f = o
	}
	part := &call{index: cmp.Or(o.Label("index"), place), id: o.Label("id"), name: f.Label("name")}
	if value := argsOf(f); value != "" {
		part.args = []string{value}
	}
	c := cs.of(part)
	if c == nil || c.isOver(part, offered) {
		c = &call{index: part.index}
		*cs = append(*cs, c)
	}
	c.id = cmp.Or(c.id, part.id)
	if part.name != c.name { // some servers repeat it
		c.name += part.name
	}
	c.args = append(c.args, part.args...)
	c.kept.add(o, "index", "id", "type", "function", "name", "arguments", "input", "parameters")
}

// argsOf returns the arguments of a call as a text.
func argsOf(f Object) string {
	for _, name := range []string{"arguments", "parameters", "input"} {
		value := f[name]
		switch {
		case len(value) == 0 || string(value) == "null":
		case value[0] == '"':
			return TextOf(value)
		default:
			var args bytes.Buffer
			_ = json.Compact(&args, value)
			return args.String()
		}
	}
	return ""
}

// of returns the call that a part seems to belong to: that with its index and its id, or with
// one of them, or the last, if it has neither or no name.
func (cs calls) of(part *call) *call {
	find := func(is func(c *call) bool) *call {
		for _, c := range slices.Backward(cs) {
			if is(c) {
				return c
			}
		}
		return nil
	}
	index := func(c *call) bool { return part.index != "" && c.index == part.index }
	id := func(c *call) bool { return part.id != "" && c.id == part.id }
	last := func(*call) bool { return part.name == "" || part.id == "" && part.index == "" }
	return cmp.Or(find(func(c *call) bool { return index(c) && id(c) }), find(index), find(id), find(last))
}

// isOver reports whether a part begins another call than c, to which it seems to belong. A part
// without a name never does, nor one that names a call without: ids change within a call, and an index may stand for all.
func (c *call) isOver(part *call, offered []models.Tool) bool {
	isTool := func(name string) bool {
		return slices.ContainsFunc(offered, func(t models.Tool) bool { return t.Name == name })
	}
	other := c.id != "" && part.id != "" && c.id != part.id
	args, more := strings.Join(c.args, ""), strings.Join(part.args, "")
	switch {
	case part.name == "" || c.name == "":
		return false
	case part.name != c.name: // the rest of the name, or another
		return args != "" || other || isTool(c.name) || isTool(part.name)
	case args == "":
		return other && more == ""
	case !isObject(args): // it goes on
		return false
	case other || c.index != part.index:
		return true
	}
	return isObject(more) && !same(args, more) && !same(args, "{}")
}

// isObject reports whether a text is a whole object.
func isObject(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && json.Valid([]byte(text))
}

func same(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && x.String() == y.String()
}

// whole returns the calls. Of an answer that was cut off, a call that is not whole is left out.
func (cs calls) whole(cutOff bool) (all []models.Call, err error) {
	for i, c := range cs {
		args, err := c.whole()
		switch {
		case err != nil && cutOff:
			continue
		case c.name == "":
			return nil, fmt.Errorf("call %d has no name", i+1)
		case err != nil:
			return nil, fmt.Errorf("the call of tool %.100s is not whole: its arguments are not JSON: %.300s", c.name, strings.Join(c.args, ""))
		}
		for _, one := range args {
			all = append(all, models.Call{ID: c.id, Name: Clean(c.name), Args: one})
		}
	}
	return all, nil
}

// whole returns the arguments of a call: what its parts are together, or, where that is no JSON,
// the one value that was sent several times, or behind an empty one, or always from its beginning.
// Parts that are different objects are the arguments of as many calls, which the server did not tell apart.
func (c *call) whole() (all []json.RawMessage, err error) {
	text := strings.TrimSpace(Clean(strings.Join(c.args, "")))
	switch inner := TextOf(json.RawMessage(text)); {
	case text == "" || text == "null":
		return []json.RawMessage{json.RawMessage("{}")}, nil
	case json.Valid([]byte(text)) && isObject(inner): // written as a string
		return []json.RawMessage{json.RawMessage(Clean(inner))}, nil
	case json.Valid([]byte(text)):
		return []json.RawMessage{json.RawMessage(text)}, nil
	}
	d, next := json.NewDecoder(strings.NewReader(text)), json.RawMessage(nil)
	for err = d.Decode(&next); err == nil && next[0] == '{'; err = d.Decode(&next) {
		if !same("{}", string(next)) && !slices.ContainsFunc(all, func(one json.RawMessage) bool { return same(string(one), string(next)) }) {
			all = append(all, bytes.Clone(next))
		}
	}
	parts := func(one json.RawMessage) bool { return len(all) == 1 || slices.Contains(c.args, string(one)) }
	if errors.Is(err, io.EOF) && !slices.ContainsFunc(all, func(one json.RawMessage) bool { return !parts(one) }) {
		return append(all, json.RawMessage("{}"))[:max(len(all), 1)], nil
	}
	for i := 1; i < len(c.args); i++ {
		if !strings.HasPrefix(c.args[i], c.args[i-1]) {
			return nil, errors.New("no JSON")
		}
	}
	if last := Clean(c.args[len(c.args)-1]); isObject(last) {
		return []json.RawMessage{json.RawMessage(last)}, nil
	}
	return nil, errors.New("no JSON")
}

// answered takes the call by which the answer in a schema was given for the answer.
func (a *Answer) answered(to *models.Answer) {
	s := a.Asked.Schema
	for i, c := range to.Calls {
		offered := slices.ContainsFunc(a.Asked.Tools, func(t models.Tool) bool { return t.Name == c.Name })
		if s != nil && c.Name == s.Name && !offered {
			to.Text, to.Calls = string(c.Args), slices.Delete(to.Calls, i, i+1)
			if len(to.Calls) == 0 && to.Finish == models.FinishCalls {
				to.Finish = models.FinishStop
			}
			a.show(to.Text)
			return
		}
	}
}
