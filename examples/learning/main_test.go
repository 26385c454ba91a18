package main

func Example() {
	main()
	// Output:
	// tasks   1 to  20: decided  9, right  8
	// tasks  21 to  40: decided 16, right 13
	// tasks  41 to  60: decided 14, right 13
	// tasks  61 to  80: decided 19, right 17
	// tasks  81 to 100: decided 18, right 17
	// tasks 101 to 120: decided 18, right 18
	// ada: agrees with 90% of what is right, disagrees with 95% of what is wrong
	// bob: agrees with 34% of what is right, disagrees with 67% of what is wrong
	// cyd: agrees with 35% of what is right, disagrees with 68% of what is wrong
}
