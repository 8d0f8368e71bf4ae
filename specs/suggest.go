package specs

import "strings"

// Suggest is the candidate nearest to a mistyped word, or "" when none is near
// enough to be what was meant. Case and the difference between - and _ do not
// count; a swap of two neighbours counts as one mistake. Ties go to the earlier
// candidate.
func Suggest(word string, candidates []string) string {
	best, bestDistance := "", 1<<30
	plain := fold(word)
	if len(plain) > 64 {
		return ""
	}
	for _, c := range candidates {
		d := distance(plain, fold(c))
		// A word left unfinished is a common way to be far away and yet clear.
		if len(plain) >= 3 && strings.HasPrefix(fold(c), plain) {
			d = min(d, 2)
		}
		if d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if bestDistance > max(2, len(plain)/2) || bestDistance >= max(len(plain), len(best)) {
		return ""
	}
	return best
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }

// distance is the optimal string alignment distance: insertions, deletions,
// replacements and swaps of neighbours.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// didYouMean is the end of an error message: the nearest candidate, or all of them
// when none is near.
func didYouMean(word string, candidates []string) string {
	if near := Suggest(word, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	if len(candidates) == 0 {
		return ""
	}
	return "; there is " + strings.Join(candidates, ", ")
}
