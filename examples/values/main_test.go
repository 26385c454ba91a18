package main

func Example() {
	main()
	// Output:
	// consensus: severity 5, storage
	// owner: "storage", 4 of 5
	//   "network" by [eve]
	// severity: 5, 5 of 5
}
