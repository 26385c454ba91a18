// Command rivals measures the bus against other buses and against the floor
// of the machine, in one run, the contenders taking turns.
//
//	go run . [-json FILE] [-md FILE] [-svg FILE] [-rounds N] [-time D]
//
// It prints a Markdown table of medians with their spread and of ratios, and
// beside each rival what it does not do. Absolute times are this machine's at
// this moment; ratios are what travels. RESULTS.md and results.svg are one run on a
// shared machine with two processors.
package main
