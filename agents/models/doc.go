// Package models is the contract of a language model that agents ask: one small
// interface, what is asked and answered, and how it fails.
//
//	answer, err := models.Ask(ctx, model, &models.Request{
//		System:   "You review Go code.",
//		Messages: []models.Message{models.User("Is a nil map safe to read?")},
//		Most:     200,
//	})
//
// # Adapters
//
// Each provider has a package of its own, so that a program links what it uses:
// openai speaks to OpenAI and to everything that is compatible with it (Ollama,
// vLLM, llama.cpp, OpenRouter, Gemini), anthropic to Anthropic. Package
// modelstest has the contract as a test suite that any other adapter runs too,
// and servers that speak the protocols strictly. [Scripted] answers what a test
// says.
//
// # Around a model
//
// Package limits adds what a provider's users share: repeated calls, a rate, a
// circuit breaker and a budget that is reserved before each call. What answers
// come to is recorded and replayed by package cassette.
//
// # Vectors
//
// An [Embedder] makes vectors of texts, and [Alike] says by them which proposals are
// the same in other words.
//
// # Failures
//
// Every failure of a provider is an [*Error] of one [Problem], and says whether
// asking again may help (agents.IsPassing), after how long, and whether the call
// may cost something. An answer that broke off is a failure, not a short answer.
// Texts of errors hold no keys.
//
// # Counting
//
// [Usage] counts alike for all providers: what was read from a cache is part of
// the input. [Price] makes money of it, in whole nano-dollars.
package models
