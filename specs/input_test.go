package specs

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

// TestParseFrom reads a specification from a stream, from a pipe that has a name, and as an
// editor of Windows saves it.
func TestParseFrom(t *testing.T) {
	text := good(t)
	want, err := Parse("x.cfg", text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseFrom(strings.NewReader("\ufeff"+strings.ReplaceAll(text, "\n", "\r\n")), "x.cfg")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	pipe := filepath.Join(t.TempDir(), "x.cfg")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	go func() {
		if err := os.WriteFile(pipe, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}()
	got, err = ParseFile(pipe)
	if got.Path = "x.cfg"; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a pipe: got %+v, %v, want %+v", got, err, want)
	}
	for text, want := range map[string]string{
		"\xff\xfeS\x00": "UTF-16, want UTF-8", "\xfe\xff\x00S": "UTF-16, want UTF-8", strings.Repeat(" ", maxFileBytes+1): "more than 1048576 bytes",
		"SPECIFICATION\ufeff Spec": "got the character U+FEFF",
	} {
		if _, err := ParseFrom(strings.NewReader(text), "x.cfg"); !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

// TestFirstComment: a comment may begin as the line for the size does, and be about something
// else; what a terminal would obey is written out, in the name of the file, too.
func TestFirstComment(t *testing.T) {
	text := good(t)
	rest := text[strings.Index(text, "SPECIFICATION"):]
	for _, test := range []struct{ comment, size, summary string }{
		{"\\* size: 2 nodes, 3 requests\n", "", "size: 2 nodes, 3 requests"},
		{"\\* A summary\n\\* size: of the group: 2\n\\* size: tiny\n", "tiny", "A summary"},
		{"\\* a \x1b[31mred\x07 \u202etxet \xff\n", "", `a \x1b[31mred\x07 \u202etxet \xff`},
	} {
		spec, err := Parse("a\x1b[2J/b\r\n.cfg", test.comment+rest)
		if err != nil || spec.Size != test.size || spec.Summary != test.summary || spec.Path != `a\x1b[2J/b\x0d\x0a.cfg` || spec.Name != `b\x0d\x0a` {
			t.Errorf("%q: got size %q, summary %q, path %q, name %q, %v", test.comment, spec.Size, spec.Summary, spec.Path, spec.Name, err)
		}
	}
}
