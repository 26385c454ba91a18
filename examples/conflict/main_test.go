package main

func Example() {
	main()
	// Output:
	//  3 ann proposes: back off with jitter
	//  4 ann: agree ann
	//  5 bob proposes: retry at once
	//  6 conflict: ann proposes ann, bob proposes bob
	//  7 bob: agree bob
	//  9 judge: agree ann
	// 10 judge: disagree bob
	// consensus: back off with jitter (2 of 3 agree with "ann", 71.4 % of the weight; 70 % is needed)
}
