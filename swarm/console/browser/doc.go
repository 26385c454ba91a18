// Package browser tests the console as people use it: Debian's Chromium drives the page
// against a server that is built from this tree, "swarmbus serve --demo".
//
//	cd swarm/console/browser && go test ./...
//	go test -run Images -images DIR      # screenshots of each screen, light and dark, wide and narrow
//	go test -run Scrubs -v               # the frames of a run of 100,000 signals
//
// It is a module of its own, so that users of swarmbus do not download the browser driver.
// Without Chromium, which .ci/chromium installs, its tests are skipped with that reason.
package browser
