// Package modelstest is the contract of a model as a test suite, and servers that
// speak the providers' protocols as strictly as they do.
//
//	func TestContract(t *testing.T) {
//		modelstest.Test(t, modelstest.OpenAI, func(baseURL string) (models.Model, error) {
//			return mine.New(baseURL, modelstest.Key)
//		})
//	}
//
// An adapter for a protocol of its own brings a [Dialect], which is how the server
// reads requests and writes answers.
//
// A [Server] refuses what the provider refuses: a wrong key, unknown members,
// schemas that cannot be enforced, results of calls that nobody made. It sends its
// streams in odd pieces with comments between them, and fails as it is told: see
// [Fault].
package modelstest
