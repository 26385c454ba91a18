package main

func Example() {
	main()
	// Output:
	// tasks   1 to  20: decided  4, right  3
	// tasks  21 to  40: decided 20, right 16
	// tasks  41 to  60: decided 20, right 19
	// tasks  61 to  80: decided 20, right 18
	// tasks  81 to 100: decided 20, right 18
	// tasks 101 to 120: decided 20, right 19
	// ada: agrees with 89% of what is right, disagrees with 95% of what is wrong
	// bob: agrees with 36% of what is right, disagrees with 68% of what is wrong
	// cyd: agrees with 37% of what is right, disagrees with 69% of what is wrong
}
