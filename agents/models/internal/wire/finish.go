package wire

import (
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
)

// A finish is why a model stopped, by the weightiest of the words for it: some servers say
// it again with every part, or say that all is well behind the real reason.
type finish struct {
	why  models.Finish // "": it did not
	word string        // the server's
	odd  bool          // the word is not known
}

// Reasons that are no end of an answer.
const (
	filtered models.Finish = "filtered"
	broken   models.Finish = "broken"
)

// weights of the reasons: a heavier one replaces another.
var weights = map[models.Finish]int{"": 0, models.FinishStop: 2, models.FinishCalls: 3, models.FinishLength: 4, filtered: 5, broken: 6}

// reasons are the words that servers have, in lower case with _ between words.
var reasons = func() map[string]models.Finish {
	all := map[string]models.Finish{}
	for why, words := range map[models.Finish]string{
		models.FinishStop:   "stop stop_sequence stop_token stop_str stopped end end_turn end_of_turn eos eos_token eot complete completed complete_turn done finish finished success",
		models.FinishLength: "length max_tokens max_token max_output_tokens max_completion_tokens max_length model_length token_limit tokens context_length context_window_exceeded model_context_window_exceeded limit truncated",
		models.FinishCalls:  "tool_calls tool_call tool_use function_call function_calls",
		filtered:            "content_filter content_filtered content_policy safety refusal recitation prohibited_content blocklist blocked spii sensitive image_safety guardrail_intervened",
		broken:              "error errored abort aborted cancel cancelled canceled network_error timeout server_error insufficient_system_resource malformed_function_call unexpected_tool_call pause_turn incomplete failed load unload",
	} {
		for word := range strings.FieldsSeq(words) {
			all[word] = why
		}
	}
	return all
}()

// add reads the reason of an object, if it gives one. That of a provider behind the server counts if
// it says that the answer is broken.
func (f *finish) add(o Object) {
	word := Clean(o.Text("finish_reason", "finishReason", "stop_reason", "done_reason"))
	if native := Clean(o.Text("native_finish_reason")); reasons[plain(native)] == broken {
		word = native
	}
	if word == "" || word == "null" || word == "none" {
		return
	}
	why, known := reasons[plain(word)]
	if !known {
		why = models.FinishStop
	}
	if weight := weights[why]; weight > weights[f.why] || weight == weights[f.why] && f.odd && known {
		f.why, f.word, f.odd = why, word, !known
	}
}

// plain returns a word as the table has it.
func plain(word string) string {
	return strings.TrimPrefix(strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(word)), "finish_reason_")
}
