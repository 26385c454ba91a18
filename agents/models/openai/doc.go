// Package openai asks models of OpenAI and of servers that are compatible with its
// chat completions: by base URL Ollama, vLLM, llama.cpp, OpenRouter, Azure's v1 and
// Gemini's compatible endpoint.
//
//	model, err := openai.New(openai.Options{Model: "gpt-4.1", Key: os.Getenv("OPENAI_API_KEY")})
//	local, err := openai.New(openai.Options{Provider: "ollama", Model: "qwen3", BaseURL: "http://127.0.0.1:11434/v1"})
//
// Every answer is streamed, also one that is not shown, and one that breaks off is
// an error (models.ErrCutOff): a stream has to end with a finish reason or
// "[DONE]". Usage is asked for with the stream; a server that sends none leaves it
// zero, and a budget then books all that was reserved. Calls are not repeated here:
// see package limits. A schema is sent as a strict one.
package openai
