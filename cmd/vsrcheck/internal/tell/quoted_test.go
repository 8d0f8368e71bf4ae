package tell

import (
	"testing"
)

// TestQuoted is a word for a shell as it is, or as bash writes what cannot be seen.
func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"a/b.cfg": "a/b.cfg", "a b": "'a b'", "it's": `'it'\''s'`, "a\x1b'\\\tb": `$'a\x1b\'\\\tb'`, "\n": `$'\x0a'`,
	} {
		if got := Quoted(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}
