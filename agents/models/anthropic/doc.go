// Package anthropic calls Anthropic's models by its Messages API.
//
//	model, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-5", Key: os.Getenv("ANTHROPIC_API_KEY")})
//
// Every answer is streamed, even if it is not shown; a server may send it whole. One that does
// not end with message_stop, or whose stop reason is no end, is an error (models.ErrCutOff). A
// stop reason that is not known is taken for an end, with a note in the answer. Calls are
// not retried here: see package limits. Schema keywords that the provider refuses are
// omitted. Everything before the last message is marked for caching. Blocks of reasoning go
// back with the calls that they led to ([models.Kept]).
package anthropic
