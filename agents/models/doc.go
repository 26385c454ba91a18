// Package models defines language models for agents: a small interface,
// requests and answers, and errors.
//
//	answer, err := models.Ask(ctx, model, &models.Request{
//		System:   "You review Go code.",
//		Messages: []models.Message{models.User("Is a nil map safe to read?")},
//		Most:     200,
//	})
//
// # Adapters
//
// Each provider has a package of its own, so that a program links only what it
// uses: openai for OpenAI and everything compatible with it (Ollama, vLLM,
// llama.cpp, OpenRouter, Gemini), anthropic for Anthropic. Package modelstest
// has a test suite of the contract for any adapter, and servers that implement
// the protocols strictly. [Scripted] returns predefined answers.
//
// # Limits and recording
//
// Package limits adds what all users of a provider share: retries, a rate
// limit, a circuit breaker and a budget that is reserved before each call.
// Package cassette records and replays answers.
//
// # Vectors
//
// An [Embedder] makes vectors of texts, by which [Alike] tells whether two proposals say
// the same in different words.
//
// # Failures
//
// Every failure of a provider is an [*Error] with a [Problem]. It says whether a
// retry may help (agents.IsRetryable), after how long, and whether the call may
// have cost something. A truncated answer is a failure, not a short answer.
// Error texts contain no keys.
//
// # Counting
//
// [Usage] has the same meaning for all providers: tokens read from a cache are
// part of the input. [Price] converts it to money, in whole nano-dollars.
package models
