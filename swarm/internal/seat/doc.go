// Package seat has the state of the agents in one solve.
//
// A [Seat] is that of one agent: its inbox, what it heard and said, its router with its
// timers, and its running [Turn]. A [Roster] is the seats of a team. A [Recall] restores
// them from a log. Nothing here publishes anything but [Coordination], which passes what
// agents say to coordinate to a layer.
package seat
