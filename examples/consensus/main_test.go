package main

func Example() {
	main()
	// Output:
	// voting: pending: 3 of 5 agree with "wait": 0.6 is below the threshold of 0.7; confidence 0.1334, 5 voters, 2 votes in dissent
	//     lead is for "ship": the tests pass
	// confidence-weighted: reached "ship": support 0.76 meets the threshold of 0.7; confidence 0.7237, 5 voters, 3 votes in dissent
	//     bob is for "wait": no changelog
	// bayesian: reached "ship": support 0.7237 meets the threshold of 0.7; confidence 0.7237, 5 voters, 3 votes in dissent
	//     bob is for "wait": no changelog
	// entropy: pending: 2 of 5 agree with "ship": support 0.205 is below the threshold of 0.7; confidence 0.7237, 5 voters, 3 votes in dissent
	//     bob is for "wait": no changelog
	// hierarchical: reached "ship": support 1 meets the threshold of 0.7; confidence 0.7237, 5 voters, 3 votes in dissent
	//     bob is for "wait": no changelog
}
