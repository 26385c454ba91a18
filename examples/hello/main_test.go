package main

func Example() {
	main()
	// Output:
	// critic: agree, jitter takes clients out of step
	// tester: agree, five tries end within 3 s
	// consensus: exponential backoff with jitter (2 of 2 agree, 100 % of the weight; 70 % is needed)
}
