// Package missingargument logs.
package missingargument

import "log"

// Failed logs what failed.
func Failed(job string, err error) {
	log.Printf("job %s failed: %v (%d tries)", job, err)
}
