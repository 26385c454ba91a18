package main

func Example() {
	main()
	// Output:
	//   1 to  20: 3.5 asked, 17 decided, 17 right
	//  21 to 100: 2.8 asked, 67 decided, 66 right
	// 101 to 150: 2.7 asked, 45 decided, 42 right
	// ticket 71 is a question: 2 of 5 agree with "question"; the 2 for it were right in 8 of 8 known outcomes, the 3 against were right in 4 of 5 known outcomes; a support of 70.8 %; 70 % is needed
	// ada is right in 85 %, as far as is known
	// bob is right in 62 %, as far as is known
	// cyd is right in 80 %, as far as is known
	// dan is right in 73 %, as far as is known
	// eve is right in 24 %, as far as is known
	// 150 decisions restored
}
