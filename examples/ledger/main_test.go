package main

func Example() {
	main()
	// Output:
	//   1 to  20: 4.1 asked, 17 decided, 15 right
	//  21 to 100: 3.5 asked, 70 decided, 66 right
	// 101 to 150: 2.9 asked, 49 decided, 44 right
	// ticket 21 is a bug: 2 of 5 agree with "bug"; the 2 for it were right in 2 of 3 known outcomes, the 3 against were right in 0 of 5 known outcomes; a support of 74.8 %; 70 % is needed
	// ada is right in 92 %, as far as is known
	// bob is right in 65 %, as far as is known
	// cyd is right in 65 %, as far as is known
	// dan is right in 63 %, as far as is known
	// eve is right in 12 %, as far as is known
	// 150 decisions restored
}
