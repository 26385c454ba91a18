// Package deferendless works through a queue for ever.
package deferendless

import "os"

// Serve writes every line to a file of its own.
func Serve(lines <-chan string, name func() string) {
	for {
		f, err := os.Create(name())
		if err != nil {
			continue
		}
		defer f.Close()
		f.WriteString(<-lines)
	}
}
