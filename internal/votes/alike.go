package votes

import "strings"

// Alike returns labels that differ from an earlier one in case and white space alone, with that one:
// they are counted apart, and may be meant as one.
func (s *Set) Alike() (all [][2]string) {
	known := map[string]string{}
	for _, t := range s.Tasks {
		for _, v := range t.Votes {
			same := strings.ToLower(strings.Join(strings.Fields(v.Label), " "))
			first, is := known[same]
			switch {
			case !is:
				known[same] = v.Label
			case first != v.Label && known[v.Label] != first:
				known[v.Label] = first // said once
				all = append(all, [2]string{first, v.Label})
			}
		}
	}
	return all
}
