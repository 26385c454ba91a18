package main

func Example() {
	main()
	// Output:
	// voting: pending: 3 of 5 agree with "wait", 60 % of the voters; 70 % is needed; confidence 13.3 %, 5 voters, 2 votes in dissent
	//     lead is for "ship": the tests pass
	// confidence-weighted: reached "ship": 2 of 5 agree with "ship", 76 % of the weight; 70 % is needed; confidence 72.4 %, 5 voters, 3 votes in dissent
	//     bob is for "wait": no changelog
	// bayesian: reached "ship": 2 of 5 agree with "ship", a probability of 72.4 %; 70 % is needed; confidence 72.4 %, 5 voters, 3 votes in dissent
	//     bob is for "wait": no changelog
	// entropy: pending: 2 of 5 agree with "ship", a concentration of 20.5 %; 70 % is needed; confidence 72.4 %, 5 voters, 3 votes in dissent
	//     bob is for "wait": no changelog
	// hierarchical: reached "ship": 2 of 5 agree with "ship", 100 % of the weight in the rank that decides; 70 % is needed; confidence 72.4 %, 5 voters, 3 votes in dissent
	//     bob is for "wait": no changelog
}
