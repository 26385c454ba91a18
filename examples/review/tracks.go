package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

// tracksText is what the corpus showed on the part of the corpus that
// rules were chosen on: an inspector, how often it is right when it names a
// defect, and how many of the defects it looks for it finds. Both are shares
// with one success and one failure added, so that few cases are no certainty.
//
//go:embed tracks.txt
var tracksText string

// tracks returns how each inspector did where the answer is known. What has not
// been measured is as good as a coin.
func tracks() map[string]inspect.Track {
	all := map[string]inspect.Track{}
	for _, i := range inspect.Inspectors("staticcheck", "gosec") {
		all[i.Name] = inspect.Track{Right: 0.5, Found: 0.5}
	}
	for line := range strings.Lines(tracksText) {
		var name string
		var t inspect.Track
		if _, err := fmt.Sscan(line, &name, &t.Right, &t.Found); err == nil {
			all[name] = t
		}
	}
	return all
}
