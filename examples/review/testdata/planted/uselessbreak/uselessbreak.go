// Package uselessbreak waits for a stop.
package uselessbreak

// Drain counts messages until stop.
func Drain(messages chan string) int {
	n := 0
	for m := range messages {
		switch m {
		case "stop":
			break
		default:
			n++
		}
	}
	return n
}
