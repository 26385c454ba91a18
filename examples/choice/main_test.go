package main

func Example() {
	main()
	// Output:
	// propose at once  chosen   2 times, right about 0.25
	// ask for evidence chosen  24 times, right about 0.69
	// search first     chosen 174 times, right about 0.81
}
