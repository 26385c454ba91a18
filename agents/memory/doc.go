// Package memory is what agents know from earlier solves: facts with everybody who stated
// them, stored, recalled by meaning, and revoked by source.
//
//	store, err := sqlite.Open(ctx, "memory.db")
//	pool, err := memory.New(memory.Options{Store: store})
//	known, err := pool.Brief(ctx, task)    // what a solve begins with, as signals
//	err = pool.Keep(ctx, result.Log, group) // what the last signal of a log states
//
// # Facts
//
// Discoveries and facts that agents share are statements ([ClaimOf]). Statements with the
// same content ([IDOf]) are of one [Fact], whatever their categories. Of each source, one
// statement counts. What a fact says of itself, such as its state, follows from its
// statements alone.
//
// # Confirmation
//
// A fact is quarantined until a second source states it that is independent: of another
// group, without having derived the statement from other facts, and without having heard it
// in the thread before, unless its evidence quotes what a tool returned to it: words alone may
// be those of the first source, told once more. The memory cannot check what a tool returns:
// two groups that are both deceived confirm what is wrong. A solve begins
// with confirmed facts only ([Pool.Brief]), and whoever recalls others sees their state.
//
// # Revocation
//
// [Pool.Revoke] revokes all that a source has stated, and what follows from that and from
// nothing else. A fact of other sources stays, quarantined if too few are left. It names the
// decisions that were made when what fell was known ([DecisionOf]).
// Only what a statement replies to counts as what it was derived from: an agent that
// silently concludes something from a fact leaves no trace of it.
//
// # Vectors
//
// Remember asks no model: facts get their vectors before the next recall. Vectors of one model
// are never compared with those of another; after a change of the embedder, [Pool.Embed]
// makes new ones. Without an embedder, facts are found by their words ([Hashed]).
//
// # Logs
//
// A driver publishes what a solve begins with as signals of the system, each with its
// origin, so that a log can be replayed and continued without the store. Agents that recall
// in their turns do so by a tool ([Pool.Tool]), whose results are recorded like others.
//
// # Stores
//
// A [Store] keeps facts and vectors: package sqlite in a file, package postgres on a server.
// Package memorytest has a test suite for others.
package memory
