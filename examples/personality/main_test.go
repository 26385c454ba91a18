package main

func Example() {
	main()
	// Output:
	// scout hears the discovery first, the doubt waits
	//   asked by: Look for what others have not seen. Act on what is likely. Judge for yourself, whatever others say. Be brief. Your traits, from 0 to 1: curiosity 0.9, caution 0.1, conformity 0.2, verbosity 0.1.
	//   and: Your answer, in at most 38 words:
	//   of a proposal it is 0.5 sure; where all others are for it, 0.55, which convinces it: true
	// judge hears the doubt first, the discovery waits
	//   asked by: Stay with what is known. Ask for evidence before you agree. Give weight to what others agree on. Explain your reasons in full. Your traits, from 0 to 1: curiosity 0.1, caution 0.9, conformity 0.8, verbosity 0.9.
	//   and: Your answer, in at most 238 words:
	//   of a proposal it is 0.5 sure; where all others are for it, 0.70, which convinces it: false
}
