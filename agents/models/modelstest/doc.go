// Package modelstest has the contract of a model as a test suite, and servers
// that implement the providers' protocols as strictly as the providers.
//
//	func TestContract(t *testing.T) {
//		modelstest.Test(t, modelstest.OpenAI, func(baseURL string) (models.Model, error) {
//			return mine.New(baseURL, modelstest.Key)
//		})
//	}
//
// [TestSecrets] is about the key and the header that a model sends.
//
// An adapter for another protocol provides a [Dialect], by which the server reads
// requests and writes answers.
//
// A [Server] refuses what the provider refuses: a wrong key, unknown members,
// schemas that cannot be enforced, results of calls that were not made. It sends
// its streams in odd pieces with comments in between, and fails on request: see
// [Fault].
package modelstest
