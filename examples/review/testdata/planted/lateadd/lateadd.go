// Package lateadd runs jobs.
package lateadd

import "sync"

// Run runs all jobs and waits for them.
func Run(jobs []func()) {
	var wg sync.WaitGroup
	for _, job := range jobs {
		go func() {
			wg.Add(1)
			defer wg.Done()
			job()
		}()
	}
	wg.Wait()
}
