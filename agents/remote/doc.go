// Package remote lets an agent take its turns in another process.
//
//	critic.Reactor = remote.Reactor(ask)              // where the swarm is
//	answer := remote.Take(ctx, critic, codec, request) // where the agent is
//
// The swarm gives the turn to the agent with the same id of the other process, and commits
// what it says as if it had been said here: kinds, weight and limits are those of the agent
// of the swarm. How request and answer travel is the program's business; both are JSON.
//
// What an agent's model costs is not passed on, and neither are errors except for their
// texts, whether the turn may be tried again, and the questions of an [asking.Error], which is
// an error of that type here, too. A turn is asked for with the answers of its context
// ([asking.With]), and no others count where the agent is. Custom actions run where the
// swarm is. An agent that learns strategies has to be in the process of the swarm.
package remote
