package job

import (
	"testing"
)

func TestMemoryOption(t *testing.T) {
	for text, want := range map[string]uint64{
		"1B": 1, "1048576": 1 << 20, "1": 0, "8": 0, "500000": 0, "8GiB": 8 << 30, "8G": 8 << 30, "8gb": 0, "500M": 500 << 20, "500MB": 500 << 20, "1 KiB": 1 << 10, "2T": 2 << 40, "7B": 7, "none": 0,
		"0": 0, "-1": 0, "x": 0, "": 0, "8X": 0, "99999999999T": 0, "G": 0, "101%": 0, "0%": 0, "%": 0,
	} {
		var o Memory
		err := o.Parse(text)
		if (err == nil) != (want != 0 || text == "none") {
			t.Errorf("Set(%q) = %v", text, err)
		}
		if err == nil && o.Limit() != want {
			t.Errorf("%q is %d bytes, want %d", text, o.Limit(), want)
		}
	}
	for _, test := range []struct {
		files map[string]string
		want  uint64
	}{
		{nil, 0},
		{map[string]string{"/proc/meminfo": "MemFree: 1 kB\nMemTotal:       2048 kB\n"}, 2 << 20},
		{map[string]string{
			"/proc/meminfo": "MemTotal: 2048 kB\n", "/proc/self/cgroup": "0::/a/b\n",
			"/sys/fs/cgroup/a/memory.max": "1048576\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
		}, 1 << 20},
		{map[string]string{
			"/proc/meminfo": "MemTotal: 2048 kB\n", "/proc/self/cgroup": "5:cpu:/x\n4:memory:/y\n",
			"/sys/fs/cgroup/memory/y/memory.limit_in_bytes": "9223372036854771712\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n",
		}, 4096},
		{map[string]string{"/proc/meminfo": "MemTotal: lots\n", "/proc/self/cgroup": "nonsense\n"}, 0},
	} {
		if got := memoryFrom(func(name string) string { return test.files[name] }); got != test.want {
			t.Errorf("with %v got %d bytes, want %d", test.files, got, test.want)
		}
	}
}
