// Package openai calls models of OpenAI and of servers compatible with its chat
// completions, selected by base URL: Ollama, vLLM, llama.cpp, OpenRouter, Azure's
// v1 and Gemini's compatible endpoint.
//
//	model, err := openai.New(openai.Options{Model: "gpt-4.1", Key: os.Getenv("OPENAI_API_KEY")})
//	local, err := openai.New(openai.Options{Provider: "ollama", Model: "qwen3", BaseURL: "http://127.0.0.1:11434/v1"})
//
// Every answer is streamed, even if it is not shown, and a truncated one is an
// error (models.ErrCutOff): a stream has to give a finish reason that is an end.
// Usage is requested with the stream; it is zero for a server that sends none, and
// a budget then books the full reservation. Calls are not retried here: see package
// limits. Schemas are sent as strict, and neighboring messages of one role as one.
package openai
