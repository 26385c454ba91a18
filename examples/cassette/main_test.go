package main

func Example() {
	main()
	// Output:
	// 1 answers recorded; the log of the replay is the same: true
	// another task was not recorded: true
}
