// Package openai calls models of OpenAI and of servers compatible with its chat
// completions, selected by base URL: Ollama, vLLM, llama.cpp, OpenRouter, DeepSeek, Groq,
// Mistral, Azure, Gemini's compatible endpoint, and gateways in front of any of them.
//
//	model, err := openai.New(openai.Options{Model: "gpt-4.1", Key: os.Getenv("OPENAI_API_KEY")})
//	local, err := openai.New(openai.Options{Provider: "ollama", Model: "qwen3", BaseURL: "http://127.0.0.1:11434/v1"})
//
// # What is read
//
// An answer is read by its content, whatever form it has: streamed, whole, or one within the
// other; texts as strings, parts or objects; calls with an id, an index, both or neither. What
// carries no meaning may be missing or of another type. What decides is strict: a stream has to
// give a reason to stop, the arguments of a call have to be JSON, and anything else is an error
// with the server's words, never a short answer. A reason to stop that is not known is taken for
// an end, with a note in the answer. Usage is zero for a server that sends none, and a budget
// then books the full reservation.
//
// # What is sent
//
// Neighboring messages of one role are sent as one. Members of an answer with calls that only
// the model knows, such as its reasoning or signatures, go back to it ([models.Kept]).
//
// Servers refuse different members of a request. After a refusal (400 or 422) that names one,
// [Model.Ask] makes the request again in the next form that is known: the other name for the
// bound on tokens, the schema as an object or in the prompt, a schema or tools, no temperature,
// no stream, the system prompt as the user's. Each form is tried once. One that is taken is kept
// for the model's later requests, and the answer has a note of it. [Options] set it from the start.
//
// Calls are not retried here otherwise: see package limits.
package openai
