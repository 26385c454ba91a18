// Package thinker provides an agent that asks a language model.
//
//	critic := thinker.Thinker{ID: "critic", Role: "You look for what can go wrong.", Model: model}
//	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{critic.Agent(), …}})
//	result, err := s.Solve(ctx, signals.Task{Task: "Which retry policy?"})
//
// Adapters for models are in packages openai and anthropic, and [models.Script] returns
// predefined answers for tests.
//
// # One call per turn
//
// A turn is one call to the model with everything that is new. The system prompt
// contains the agent's role and personality, the first message the task. Earlier turns
// follow as a conversation, then what is new, and finally the current state: the
// proposals, their votes, what is addressed to the agent ([agents.Turn].Inbox), and the
// newest positions of the other agents. Everything before that last message is the same as in the
// turn before, with one more turn at its end, so that providers can cache it.
//
// The size of the prompt is limited: see [Thinker].Prompt and [Thinker].Text. If the
// proposals exceed the limit each is cut, but not below 64 bytes; positions get the
// rest of the space, newest first.
//
// The turn's effort determines how much the turn may cost. A cheap turn asks
// [Thinker].Cheap without tools, shows signals without their reasons, and requests a
// quarter of the tokens and half of the words ([agents.Personality.Words]). A deep turn
// asks [Thinker].Deep, requests four times the tokens and twice the words, and has the
// model review its answer in a second call. All other turns ask [Thinker].Model.
//
// # Quoting
//
// The texts of other agents and of tools are data. Each signal is a line of JSON with
// its source. Line breaks, control characters, invisible characters, angle brackets and
// role markers are escaped, and long texts are cut. These lines are part of user
// messages, never of the system prompt. The package numbers signals and proposals (S12,
// P1), so that no text can pose as another signal or source.
//
// # Answers
//
// An answer is JSON that conforms to a schema with one form for each thing that an agent
// may say: a discovery, proposal, doubt, challenge, vote, escalation, or pass, and, for an
// agent that coordinates ([Coordinates]), what needs attention, how far its work can be relied
// on, a conflict, a handoff, an alarm, and that something is settled. One that may emit [signals.KindRetraction] can take back what it said. A discovery or a
// challenge may state a causal level. A vote
// needs a stance, reasons and a confidence; they are what the model answered, and nothing
// is derived from anything else. Of two votes on one proposal the second is refused. If an answer or a part of it does not conform, the model
// is given the reason and asked once more ([Prompts].Repair). What does not conform then is
// refused: the turn emits the rest, fails with a [*RefusalError], and the refusal is
// counted ([agents.Cost]).
//
// # Debates
//
// In a turn of a debate ([agents.Debate]) the state says which proposal the agent argues
// for, and whether it attacks or answers. Its arguments are challenges.
//
// # Modes
//
// In a turn that asks for something ([agents.Turn].Ask) the state says for what: a proposal
// for an answer, discoveries for facts, a vote for a verdict. Of what else it may emit the
// thinker can say what takes nothing that others said: it can escalate, state discoveries
// and facts to remember beside an answer, which no other agent is shown before its own, and
// take back what the turn shows of its own. It cannot doubt, challenge or coordinate there.
//
// Where a turn shows facts to answer by, the form of a proposal has a member that names those that
// the answer follows from. The proposal cites them, so that it falls if they are taken back. A name
// that is none of those shown is dropped, and is a reason to ask once more.
//
// # Prompts
//
// The prompts are text files in the directory prompts; [LoadPrompts] reads replacements.
package thinker
