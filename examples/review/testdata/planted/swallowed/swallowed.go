// Package swallowed runs jobs.
package swallowed

// Run runs a job.
func Run(job func()) {
	defer func() {
		recover()
	}()
	job()
}
