package main

func Example() {
	main()
	// Output:
	// verifier asks: May raw access logs be kept for 30 days?
	// | Fraud needs them: 31 of 40 cases surface after day 7. Policy allows 7 days for personal data; only a person can grant more.
	// thirty-days: Keep raw logs for 30 days, encrypted, with access by ticket. (support 0.63)
	// seven-days: Keep raw logs for 7 days, and hashes for 90. (support 0.37)
	// > seven-days
	//
	// The team: Keep raw logs for 7 days, and hashes for 90.
	// reached "Keep raw logs for 7 days, and hashes for 90.": 6 of 7 agree with "Keep raw logs for 7 days, and hashes for 90.", 88.7 % of the weight; 70 % is needed; 7 voted, the quorum is 4; 92 % that it is right, by the votes alone
	// It rests on 0 voters; 8 of the other ways to count would decide otherwise.
}
