// Package machines spreads a swarm over machines that have a log in common.
//
//	// on the machine of an agent
//	machines.Serve(ctx, log, "critic", makeCritic)
//	// on the machines that may drive the solve: one does, the others stand by
//	past := machines.NewRecords() // natsbus.Options{Digest: past.Digest(), Reserved: machines.Reserved(), …}
//	machines.Remote(log, options.Agents)
//	for event, err := range machines.Drive(ctx, log, past, options, task) { … }
//
// The agents of a swarm that is driven so are stand-ins ([Remote]): their turns are taken by
// processes that [Serve] them. The driver holds a lease ([natsbus.Log.Lease]). When it is
// lost, killed or cut off, the next process goes on with the log as it is: turns that are
// incomplete in it are taken again with the same input, and a call whose result is in
// [natsbus.Results] is not made again. A turn that has to ask a person about the call of a tool
// stops the solve; the log has the question, and goes on with what was answered ([Answer]).
//
// [Digest] derives the decisions of a log in every process, so that those that differ raise
// an alarm.
package machines
