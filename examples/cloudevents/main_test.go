package main

func Example() {
	main()
	// Output:
	// kept: acme.example/build of builder
	// refused: signals: vote.stance = "perhaps": not one of ["agree" "disagree" "abstain"]
	// refused: signals: source = "https://ci.example.com/7": not a slash and an escaped name
	// voting: reached "ship": 3 of 4 agree with "ship", 75 % of the voters; 70 % is needed; confidence 79.9 %, 4 voters, 1 vote in dissent
}
