// Package schedule decides which message an agent answers next, and which agent
// has the next turn. It is pure: it has no clock, no goroutine and no randomness.
//
//	var q schedule.Queues
//	q.Put(schedule.Message{ID: 7, Priority: schedule.Normal}, 64)
//	if p, ok := q.Pick(); ok {
//		// … the agent has a turn for p.Message …
//		q.Finish(p, nil)
//	}
//
// # One agent's messages
//
// Each agent has three queues. Pick chooses between them:
//
//   - An urgent message is always first. It neither costs nor resets credits.
//   - An agent has 3 credits. A normal message costs one. At 0 the next message
//     that is not urgent is a background one, which sets the credits to 3 again.
//   - If the queue that is due is empty, the other one is used: at 0 credits
//     without a background message a normal one, and the credits stay at 0; above
//     0 without a normal message a background one, and the credits stay as they are.
//
// So while normal and background messages wait and nothing is urgent, every four
// consecutive picks are three normal messages and one background message.
//
// # Aging
//
// Time is counted in finished turns of the agent. A message that has waited for
// more than 10 turns in the background queue moves to the normal queue, and one
// that has waited for more than 20 turns in the normal queue moves to the urgent
// queue. The count restarts when a message moves, so a background message is normal
// after 11 turns and urgent after 32. Within a queue messages are in the order of
// their arrival, wherever they came from.
//
// # No message starves
//
// Let Q be the number of messages that the agent holds when a message arrives.
// The message is picked within the next Q+1 turns if it is urgent, Q+22 if it is
// normal, and Q+33 if it is background, whatever arrives later. Proof: after 0, 21
// or 32 finished turns it is in the urgent queue, unless it was picked before. From
// then on every pick is urgent and the oldest of its queue, so only messages that
// arrived earlier are picked before it, each of them once, and these are at most Q.
//
// # Several agents
//
// A [Rota] chooses between waiting agents, or between rooms: three times the one
// with the most urgent message, then the one that has waited longest. One that
// waits among at most n is chosen within 4n choices. Proof: every fourth choice is
// the one that was chosen longest ago, and each of the others can be that at most
// once before it, because it is then the one chosen last.
package schedule
