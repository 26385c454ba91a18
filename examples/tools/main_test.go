package main

func Example() {
	main()
	// Output:
	// operator called error_rate: 0.31
	// consensus: open the circuit breaker
}
