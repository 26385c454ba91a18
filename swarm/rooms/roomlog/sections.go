package roomlog

import (
	"iter"
	"regexp"
	"strconv"
)

var section = regexp.MustCompile(`§([0-9]+)`)

// Sections yields the numbers N of the references §N in a text, in order, each once.
// A number has at most nine digits and does not begin with 0; anything else behind
// the sign refers to nothing.
func Sections(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		seen := map[int]bool{}
		for _, m := range section.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(m[1])
			if m[1][0] == '0' || len(m[1]) > 9 || seen[n] {
				continue
			}
			if seen[n] = true; !yield(n) {
				return
			}
		}
	}
}
