package main

func Example() {
	main()
	// Output:
	// refused: bus: agent "bob" may not publish "discovery" in thread "retries": not in CanEmit
	// refused: bus: agent "ann" may not publish "vote" in thread "retries": the source is another agent's: bob
	// 1 ann: proposal
	// 2 bob: vote
	// 2 intended = 2 delivered + 0 filtered + 0 pending + 0 dead
	// 2 bob: vote
	// 1 intended = 1 delivered + 0 filtered + 0 pending + 0 dead
}
