// Package mode says how a team works on a task: who is asked, in which order, what each
// is shown, and when there is an answer.
//
//	p := mode.Choose(mode.Auto, mode.Case{Members: team, Calls: 15})
//	step := p.Next(nil)
//	fmt.Println(p.Mode, p.Reason, step.Ask)
//
// Everything in it is a function from values to values: it publishes nothing, calls
// nobody and has no clock. A swarm records a [Plan] in the log of a solve, and gets the
// [Step] after each round from the calls in the log.
//
// # Modes
//
// Deliberate is the swarm's own way: rounds in which every agent hears the others, votes,
// and settlements of conflicts. In the other modes no agent sees an answer of another one
// before it has given its own.
//
//	vote         independent answers, best known agents first, until one of them leads by
//	             three votes of mean weight, or by 3.25 if the budget allows
//	single       the answer of the agent that is known best
//	facts-first  each agent states what it knows, without an answer; then one to three
//	             agents read all of it and answer
//	check        independent answers; where they differ, those who stand for what leads read one
//	             argument for each of them, and it falls only if they leave it
//	auto         one of these: see [Choose]
//
// # Votes
//
// An answer counts with the log-odds of the agent's being right, by how often it was right
// in known outcomes, at least 0.05, so that an agent that is often wrong is not evidence
// for what it rejects. It is divided by the square root of the number of answers that the
// agent's model family has given, which all of them share. Agents are asked again when all
// have answered and the budget allows; they do not see their earlier answers. While one agent
// alone has an answer, the others are asked once more, and that one is not.
//
// What leads is a consensus if more than half of those who were asked have an answer, two stand for it, and it
// has more than half of the weight of all who were heard, or the threshold that is stated; see [Plan.Decide].
//
// Answers that are tied choose nothing, nor does one that most judges reject. Somebody outside the
// team who votes weighs what the best member does.
//
// # Speakers
//
// Where not all agents may speak in a round, [Speakers] says which of those with something new
// to hear do. Those come first to whom something is addressed that is open (a handoff, a
// conflict notice, an alarm), and who cannot pay for a turn comes last. Among the others goes
// by a score, the mean of three numbers in [0,1] plus a quarter for each round that an agent
// has waited:
//
//   - the relevance of its news, as the most relevant of its new signals states it;
//   - its record: how often it was right;
//   - the highest causal level of its news (counterfactual 1, intervention 2/3,
//     correlation 1/3, none 0).
//
// So after a few rounds nobody goes before who waits. Ties go to the earlier agent.
//
// # Why
//
// Talk pays where it moves facts that others lack, or proofs that others can check. With
// evidence that all share it does not change the expected answer, and costs four to twelve
// times as much; under hostility it does harm. benchmarks/swarms/RESULTS.md has figures.
package mode
