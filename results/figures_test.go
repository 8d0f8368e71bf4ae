package results

import (
	"runtime"
	"testing"
	"time"
)

func TestFormats(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"}, {Count(1234567), "1,234,567"},
		{Bytes(0), "0 B"}, {Bytes(1023), "1023 B"}, {Bytes(1536), "1.50 KiB"}, {Bytes(123 << 20), "123 MiB"}, {Bytes(1<<64 - 1), "16.0 EiB"},
		{Rate(0), "0/s"}, {Rate(12345), "12.3 k/s"}, {Rate(2.5e6), "2.50 M/s"},
		{Duration(12345 * time.Microsecond), "12ms"}, {Duration(1234 * time.Millisecond), "1.2s"}, {Duration(90*time.Second + 400*time.Millisecond), "1m30s"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

func TestBuild(t *testing.T) {
	b := ReadBuild()
	if b.Version == "" || b.Go != runtime.Version() {
		t.Errorf("got %+v", b)
	}
	b = Build{Version: "v1", Revision: "0123456789abcdef", Modified: true, Go: "go1", OS: "linux", Arch: "amd64"}
	if got, want := b.String(), "v1 (0123456789ab, with changes), go1, linux/amd64"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
