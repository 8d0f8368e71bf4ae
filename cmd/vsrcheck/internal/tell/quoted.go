package tell

import (
	"strings"
	"unicode"

	"vsrcheck/specs"
)

// Quoted is a word for a shell. (mvdan.cc/sh quotes so, too, and brings a whole shell.)
func Quoted(word string) string {
	if shown := specs.Printable(word); shown != word || strings.ContainsAny(word, "\t") {
		// As bash and its like read it: a terminal must not obey what is in it.
		return "$'" + strings.NewReplacer("'", `\'`, "\t", `\t`).Replace(specs.Printable(strings.ReplaceAll(word, `\`, `\\`))) + "'"
	}
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("-_./,:=", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
