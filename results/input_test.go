package results

import (
	"strings"
	"testing"
)

// TestReadAtMost: a stream is read as far as it is allowed, and its byte order mark is no part
// of it.
func TestReadAtMost(t *testing.T) {
	for _, test := range []struct{ in, want, fault string }{
		{"abc", "abc", ""}, {"\ufeffab", "ab", ""}, {"", "", ""}, {"abcdefg", "", "more than 6 bytes"}, {"\xff\xfea\x00", "", "UTF-16"},
	} {
		got, err := ReadAtMost(strings.NewReader(test.in), 6)
		if string(got) != test.want || (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%q: got %q, %v", test.in, got, err)
		}
	}
}
