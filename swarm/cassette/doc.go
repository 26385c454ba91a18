// Package cassette records what models answered, and answers the same again without
// them.
//
//	recorder, err := journal.NewRecorder(store)
//	model := cassette.Model(real, recorder)        // asks once, and keeps the answer
//
//	results, err := journal.ReadResults(store)
//	model := cassette.Replay(real.ID(), results)   // asks nobody, ever
//
// An answer belongs to a place: the thread, the agent, the round, and which call of
// the turn it is; and to the hash of the request and of the model's name. A request
// that differs from the recorded one by a byte is a miss, which is an error and says
// so. Failures are recorded too, so that a run whose calls failed repeats; what ended
// because its context did is not.
//
// What is recorded is the answer. The request is there as a hash, and keys are not
// part of it. With the store of a swarm's journal the recorder is what lets a run
// that was broken off go on without asking again.
package cassette
