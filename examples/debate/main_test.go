package main

func Example() {
	main()
	// Output:
	// debate
	//   planner    most failures pass
	//   measurer   a server that fails gets four times the calls
	//   planner    users do not wait
	//   settled    by debate: one side is certain enough after 1 round of debate: of the two, fail is right with probability 0.82
	//   consensus  "fail at once": 3 of 4 agree with "fail", 75 % of the weight; 70 % is needed
	// majority
	//   planner    most failures pass
	//   measurer   a server that fails gets four times the calls
	//   planner    users do not wait
	//   settled    by majority: 1 for retry, 3 for fail
	//   consensus  "fail at once": 3 of 4 agree with "fail", 75 % of the weight; 70 % is needed
	// escalate
	//   asked      proposals retry and fail cannot both stand
	//   settled    by escalate: lead was asked
	//   settled  "retry three times": settled by a person, with a probability of 65.1 %: 3 of 5 agree with "retry", 62.5 % of the weight; 70 % is needed
}
