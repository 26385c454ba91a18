// Package solves says what happens in a solve of a swarm, and reads it from journals.
//
//	all, err := solves.List(j)
//	for _, r := range all {
//		fmt.Println(r.Thread, r.Stop, r.Answer)
//	}
//
// A swarm yields each [Event] as it happens, and a [Result] at the end. [Watch] yields
// the events of a solve in a journal, also while another process writes it, and [List]
// returns the results of the solves in it. [Leave] leaves an answer for a solve that
// waits for one, and [Retain] drops old solves. A result says who moved it ([Result.Credit]), what
// hearing each other changed ([Result.Talk]), and what it stands on ([Result.Claims]).
//
// These readers trust the log: package replay checks it.
package solves
