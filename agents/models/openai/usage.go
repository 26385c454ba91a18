package openai

import (
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// usage is what a server counts, by the names that servers have for it.
type usage struct{ input, output, sum, read, written, reasoning int }

// add adds the counts of an object. Some servers send running totals, and some the counts
// in several events: of each, the last that is not zero counts.
func (u *usage) add(o wire.Object) {
	for _, at := range []wire.Object{o.Object("usage"), o.Object("x_groq").Object("usage")} {
		if at == nil {
			continue
		}
		in, out := at.Object("prompt_tokens_details", "input_tokens_details"), at.Object("completion_tokens_details", "output_tokens_details")
		for count, n := range map[*int]int{
			&u.input:     at.Number("prompt_tokens", "input_tokens", "promptTokens", "inputTokens"),
			&u.output:    at.Number("completion_tokens", "output_tokens", "completionTokens", "outputTokens"),
			&u.sum:       at.Number("total_tokens", "totalTokens"),
			&u.read:      max(in.Number("cached_tokens"), at.Number("prompt_cache_hit_tokens", "cached_tokens"), at.Number("cache_read_input_tokens")),
			&u.written:   max(in.Number("cache_creation_tokens", "cache_write_tokens"), at.Number("cache_creation_input_tokens")),
			&u.reasoning: max(out.Number("reasoning_tokens"), at.Number("reasoning_tokens")),
		} {
			if n != 0 {
				*count = n
			}
		}
	}
}

// total returns the counts, each once: the cached tokens are part of the input, and reasoning
// is part of the output, also where the server counts them beside it, as its sum shows.
func (u *usage) total() models.Usage {
	to := models.Usage{Input: u.input, CacheRead: u.read, CacheWrite: u.written, Output: u.output, Reasoning: u.reasoning}
	cached := u.read + u.written
	if beside := u.sum - u.input - u.output; cached > u.input || cached > 0 && (beside == cached || beside == cached+u.reasoning) && u.input > 0 && beside > 0 {
		to.Input += cached
	}
	if beside := u.sum - to.Input - to.Output; beside > 0 && to.Input > 0 {
		to.Output += beside
	} else if u.sum == 0 && u.reasoning > u.output {
		to.Output += u.reasoning
	}
	to.Reasoning = min(u.reasoning, to.Output)
	return to
}
