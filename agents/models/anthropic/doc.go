// Package anthropic asks Anthropic's models, by its messages.
//
//	model, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-5", Key: os.Getenv("ANTHROPIC_API_KEY")})
//
// Every answer is streamed, also one that is not shown, and one that does not end
// with message_stop is an error (models.ErrCutOff). Calls are not repeated here:
// see package limits. Of a schema the keywords that the provider refuses are left
// out. What comes before the last message is marked to be cached.
package anthropic
