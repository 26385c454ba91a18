// Package shortsleep retries.
package shortsleep

import "time"

// Retry calls f until it succeeds, three times at most.
func Retry(f func() error) (err error) {
	for range 3 {
		if err = f(); err == nil {
			return nil
		}
		time.Sleep(5)
	}
	return err
}
