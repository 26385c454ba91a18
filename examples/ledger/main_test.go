package main

func Example() {
	main()
	// Output:
	//   1 to  20: 5.0 asked, 10 decided, 9 right
	//  21 to 100: 2.6 asked, 71 decided, 70 right
	// 101 to 150: 2.6 asked, 46 decided, 43 right
	// ticket 28 is a question: 2 who were right in 4 of 4 told outweigh 3 who were right in 3 of 6 told: 2 of 5 agree with "question", a support of 70.6 %; 70 % is needed
	// ada is right in 84 %, as far as is known
	// bob is right in 66 %, as far as is known
	// cyd is right in 85 %, as far as is known
	// dan is right in 65 %, as far as is known
	// eve is right in 16 %, as far as is known
	// 150 decisions restored
}
