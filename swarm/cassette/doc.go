// Package cassette records the answers of models and replays them.
//
//	store, err := journal.Open("run.cassette", nil)
//	recorder, err := journal.NewRecorder(store)
//	model := cassette.Model(real, recorder)        // asks once, and records the answer or the failure
//	model := cassette.Answers(real, recorder)      // asks until there is an answer, and records that
//
//	store, err := journal.NewView("run.cassette")
//	results, err := journal.ReadResults(store)
//	model := cassette.Replay(real.ID(), results)   // never calls a model
//
// An answer is identified by its place (the thread, the agent, the round, and the
// number of the call in the turn) and by the hash of the request and the model's
// name. A request that differs from the recorded one by a byte is a miss, which is an
// error, and ends the solve of a swarm. So a run repeats if it is set up as the recorded
// one was: with the same agents, task, seed and clock (swarm.StepClock), and with
// swarm.Options.Journal set if and only if it was set then, because recorded terms take
// a number in the log, which prompts refer to. Failures are recorded too, so that a run
// with failed calls can be repeated; calls that ended with their context are not.
//
// [Tools] does the same for the calls of tools. A call that a person has to allow is
// recorded as a question ([Asked]), and the answer ([Answer]) lets the turn continue. A
// replay stops at the same question, and continues with the same answer when the solve is
// resumed.
//
// [Remembers] records what a memory recalled for a solve, which then needs no memory.
//
// The answer is recorded, but of the request only a hash, which does not include
// API keys. With Answers and a recorder on the store of a swarm's journal, an
// interrupted run continues without repeating calls, except those that failed.
package cassette
