package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Suggest returns the words "; did you mean …?" with the known word that a word is closest
// to, in whatever case, or "" if it is close to none.
func Suggest[S ~string](word S, known []S) string {
	if len(known) == 0 {
		return ""
	}
	said := strings.ToLower(string(word))
	far := func(k S) int {
		meant := strings.ToLower(string(k))
		if strings.Contains(meant, said) {
			return 0
		}
		return edits(said, meant)
	}
	near := slices.MinFunc(known, func(a, b S) int { return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b)) })
	if far(near) > max(2, len(word)/3) {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// edits returns the least number of bytes to insert, remove, replace, or swap with their
// neighbor, to make b of a, where no byte is edited twice.
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			same := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				same++
			}
			rows[i][j] = min(same, rows[i][j-1]+1, rows[i-1][j]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
