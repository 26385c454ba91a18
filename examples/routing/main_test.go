package main

func Example() {
	main()
	// Output:
	// system    task:new
	//           -> teller: transition:transaction
	// customer  user:message
	//           -> teller: reject
	//
	// user:message in state "transaction": reject, by strategy route "do not disturb"
	//   won   strategy      do not disturb        0        reject      the first match
	//   lost  agent         greetings             100      continue    its predicate is false
	//   lost  plugin eager  the customer is king  1000000  force-stop  the strategy tier outranks the plugin tier, whatever the priority
	//   and 2 for other kinds
	//
	// teller    tool:result
	//           -> teller: transition:idle
	// teller    proposal
	// customer  vote
	// customer  user:message
	//           -> teller: force-stop
	//
	// user:message in state "idle": force-stop, by plugin route "the customer is king"
	//   lost  strategy      do not disturb        0        reject      is not for state "idle"
	//   lost  agent         greetings             100      continue    its predicate is false
	//   won   plugin eager  the customer is king  1000000  force-stop  the first match
	//   and 2 for other kinds
	//
	// auditor   vote
	// system    consensus:reached
	//
	// consensus: the transfer is booked (2 of 2 agree, 100 % of the weight; 70 % is needed; stopped: teller)
}
