package main

func Example() {
	main()
	// Output:
	// consensus: exponential backoff with jitter (2 of 2 agree, 100 % of the weight; 70 % is needed)
}
