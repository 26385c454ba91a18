package text

import (
	"fmt"
	"strings"
)

// Plural returns a number with a noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// AtMost returns the first few of many, and how many more there are.
func AtMost(all []string) []string {
	const most = 3
	if len(all) > most {
		return append(all[:most:most], fmt.Sprintf("and %d more", len(all)-most))
	}
	return all
}

// Join returns the first few of many in words, and how many more there are.
func Join[T fmt.Stringer](all []T) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = one.String()
	}
	return strings.Join(AtMost(texts), "; ")
}
