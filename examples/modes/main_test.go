package main

func Example() {
	main()
	// Output:
	// vote         the cache after 15 calls: vote: 15 calls, at the price of 15 of 15; 9 of 15 answers
	// facts-first  the disk after 8 calls: facts-first: 8 calls, at the price of 11 of 15; 3 of 3 answers; its readers have answered
	// check        the disk after 10 calls: check: 10 calls, at the price of 12.5 of 15; 5 of 5 answers; all of its supporters have judged
}
