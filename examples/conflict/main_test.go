package main

func Example() {
	main()
	// Output:
	//  2 ann proposes: back off with jitter
	//  3 ann: agree ann
	//  4 bob proposes: retry at once
	//  5 conflict: ann proposes ann, bob proposes bob
	//  6 bob: agree bob
	//  7 judge: agree ann
	//  8 judge: disagree bob
	// consensus: back off with jitter (support 0.7143 meets the threshold of 0.7)
}
