package main

func Example() {
	main()
	// Output:
	// voting: open: 3 of 5 agree with "wait", 60 % of the voters; 70 % is needed; 5 voted, the quorum is 2; 13 % that it is right, by the votes alone; 2 votes in dissent
	//     lead is for "ship": the tests pass
	// confidence-weighted: reached "ship": 2 of 5 agree with "ship", 76 % of the weight; 70 % is needed; 5 voted, the quorum is 2; 72 % that it is right, by the votes alone; 3 votes in dissent
	//     bob is for "wait": no changelog
	// bayesian: reached "ship": 2 of 5 agree with "ship", a probability of 72.4 %; 70 % is needed; 5 voted, the quorum is 2; 72 % that it is right, by the votes alone; 3 votes in dissent
	//     bob is for "wait": no changelog
	// entropy: open: 2 of 5 agree with "ship", a concentration of 20.5 %; 70 % is needed; 5 voted, the quorum is 2; 72 % that it is right, by the votes alone; 3 votes in dissent
	//     bob is for "wait": no changelog
	// hierarchical: reached "ship": 2 of 5 agree with "ship", all of the weight in the rank that decides; 70 % is needed; 5 voted, the quorum is 2; 72 % that it is right, by the votes alone; 3 votes in dissent
	//     bob is for "wait": no changelog
}
