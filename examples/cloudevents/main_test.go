package main

func Example() {
	main()
	// Output:
	// kept: acme.example/build of builder
	// refused: signals: vote.stance = "perhaps": not one of ["agree" "disagree" "abstain"]
	// refused: signals: source = "https://ci.example.com/7": not a slash and an escaped name
	// voting: reached "ship": 3 of 4 agree with "ship", 75 % of the voters; 70 % is needed; 4 voted, the quorum is 2; 80 % that it is right, by the votes alone; 1 vote in dissent
}
