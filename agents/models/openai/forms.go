package openai

import (
	"fmt"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// The members for the bound on an answer.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	maxOutputTokens     = "max_output_tokens" // of Open Responses
)

// forms are the choices of how a request is written where servers differ.
type forms struct {
	tokens   string
	most     int // of tokens of an answer; 0: as many as one asks for
	schema   Schema
	swapped  bool            // the tokens are the second choice
	whole    bool            // no stream
	either   bool            // a schema or tools
	noChoice bool            // no tools where none may be called
	folded   bool            // the system prompt is the user's
	blind    bool            // a line tells of each file that it cannot be read
	forgets  bool            // nothing kept goes back
	without  map[string]bool // members that are not sent
}

// next returns the forms of the next request after one that was refused, and what was learned
// of the server; "": the refusal names nothing that could be sent otherwise.
func (f forms) next(refused *wire.Said, sent object, files bool) (forms, string) {
	has := refused.Has
	named := refused.Names(sent, "model", "messages", "input", "instructions", "tools", "stream", "response_format", "text", f.tokens)
	schema, tools := sent["response_format"] != nil || sent["text"] != nil, sent["tools"] != nil
	said := fmt.Sprintf(" (%.200s)", refused.Words)
	asked, _ := sent[f.tokens].(int)
	switch most, beyond := refused.Bound(asked); {
	case files && !f.blind && refused.NamesFiles():
		f.blind = true
		return f, "the server refused files: a line tells the model of each" + said
	case f.most == 0 && most > 0 && has(f.tokens, maxTokens, maxCompletionTokens):
		f.most = most
		return f, fmt.Sprintf("the server takes at most %d tokens for an answer: no more are asked for%s", most, said)
	case !f.swapped && has(maxTokens, maxCompletionTokens) && !beyond:
		before := f.tokens
		if f.swapped, f.tokens = true, maxTokens; before == maxTokens {
			f.tokens = maxCompletionTokens
		}
		return f, "the server refused " + before + ": " + f.tokens + " is sent" + said
	case schema && tools && has("tool", "function") && has("json", "response", "schema", "structured", "grammar"):
		f.either = true
		return f, "the server refused a schema together with tools: of both, one is sent" + said
	case schema && has("response_format", "json_schema", "json_object", "json schema", "json mode", "json object", "structured", "guided", "schema", "grammar"):
		before := f.schema
		if f.schema = JSONObject; before == JSONObject {
			f.schema = Prompt
		}
		return f, fmt.Sprintf("the server refused the schema as %s: it is sent as %s%s", before, f.schema, said)
	case named == "tool_choice":
		f.noChoice = true
		return f.omit(named), "the server refused tool_choice: where no tools may be called, none are sent" + said
	case named != "":
		return f.omit(named), "the server refused " + named + ": it is not sent" + said
	case sent["stream"] == true && has("stream"):
		f.whole = true
		return f, "the server refused to stream: whole answers are requested" + said
	case !f.folded && has("system", "developer") && has("role", "instruction", "message", "prompt"):
		f.folded = true
		return f, "the server refused a system prompt: it is sent as the user's" + said
	case !f.forgets && !has("missing", "required", "must be passed", "must provide") && sendsKept(refused, sent):
		f.forgets = true
		return f, "the server refused what the model had said beside its answer: it does not go back" + said
	}
	return f, ""
}

func (f forms) omit(name string) forms {
	f.without = maps.Clone(f.without)
	if f.without == nil {
		f.without = map[string]bool{}
	}
	f.without[name] = true
	return f
}

// sendsKept reports whether a refusal names a member that only the model knows.
func sendsKept(refused *wire.Said, sent object) bool {
	all, _ := sent["messages"].([]object)
	for _, message := range all {
		members := slices.Collect(maps.Keys(message))
		calls, _ := message["tool_calls"].([]object)
		for _, call := range calls {
			members = slices.AppendSeq(members, maps.Keys(call))
		}
		for _, name := range members {
			if !slices.Contains([]string{"role", "content", "tool_calls", "tool_call_id", "id", "type", "function"}, name) && refused.Has(name) {
				return true
			}
		}
	}
	return false
}
