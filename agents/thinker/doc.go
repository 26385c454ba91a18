// Package thinker is an agent that thinks with a language model.
//
//	critic := thinker.Thinker{ID: "critic", Role: "You look for what can go wrong.", Model: model}
//	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{critic.Agent(), …}})
//
// # One call a turn
//
// A turn is one call with all that is new. The system prompt has the agent's role
// and personality, the first message the task; then come the turns before as a
// conversation, what is new, and last how the proposals stand and what the others
// hold of them ([agents.Turn.Positions]). Everything before that last message is as
// it was in the turn before with one turn more, so that a provider's cache has it.
// What goes in is bounded: see [Thinker].Prompt and [Thinker].Text. Where proposals
// are too many for the bound, each is cut, to 64 bytes at least; what others hold has
// the room that is left, the newest first.
//
// The turn's effort says how much thought it is worth. Cheap asks [Thinker].Cheap,
// without tools, shows signals without their reasons and asks for a quarter of the
// tokens and half the words ([agents.Personality.Words]). Deep asks [Thinker].Deep,
// for four times the tokens and twice the words, and lets it look at its answer a
// second time. Everything else asks [Thinker].Model.
//
// # What others say
//
// The texts of other agents, and of tools, are data: each signal is a line of JSON
// with its source, in which line breaks, control and invisible characters, angle
// brackets and marks of roles are escaped, and which is cut at a length. They stand
// in messages of the user, never in the system prompt. Signals and proposals have
// numbers that the package gives (S12, P1), so that no text can claim to be another
// signal or source.
//
// # What it says
//
// The answer is JSON of a schema with one form for each thing that the agent may say:
// a discovery, proposal, doubt, challenge, vote, escalation, or pass. Stance, reasons
// and confidence are what the model answered; nothing is read out of anything else. A
// vote has all three.
// What does not fit is said once more with the reason why ([Prompts].Repair); what
// does not fit then is refused: the turn fails with a [*RefusalError] beside what
// did fit, and it is counted ([agents.Spending]).
//
// # Prompts
//
// The prompts are files of text in the directory prompts; [LoadPrompts] reads others
// in their place.
package thinker
