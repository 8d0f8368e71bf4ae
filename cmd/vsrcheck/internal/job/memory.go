package job

import (
	"os"
	"path"
	"strconv"
	"strings"

	"vsrcheck/results"
)

// Memory is a limit on memory: a size, a share of the machine's memory, or none.
type Memory struct {
	Text    string
	bytes   uint64
	Percent uint64 // of the machine's memory; 0 when bytes counts
}

// DefaultMemory is the limit of a run for which none is given.
func DefaultMemory() Memory { return Memory{Text: "80%", Percent: 80} }

// String is the limit as it was given.
func (o *Memory) String() string { return o.Text }

// leastBytes is the least size that is taken without a unit.
const leastBytes = 1 << 20

// Parse reads 8GiB, 500M, 1234, 80% or none. K, M, G and T are powers of 1024, as
// memory is sold.
//
// It is not from a library: those that know the units take 8gb and 1.5G, too, which may mean
// powers of 1000.
func (o *Memory) Parse(text string) error {
	wrong := Wrongf("got %q, want a size such as 8GiB, 500M, 80%% or none", text)
	if text == "none" {
		*o = Memory{Text: text}
		return nil
	}
	if share, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.ParseUint(share, 10, 8)
		if err != nil || percent == 0 || percent > 100 {
			return wrong
		}
		*o = Memory{Text: text, Percent: percent}
		return nil
	}
	digits := strings.TrimRight(text, "KMGTiBkb ")
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 {
		return wrong
	}
	shifts := map[string]uint{"": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40}
	unit := strings.ToUpper(strings.TrimSpace(text[len(digits):]))
	if len(unit) > 1 {
		unit = strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "I")
	}
	if unit == "" && text == digits && n < leastBytes {
		// Nobody limits a search to some bytes.
		near := "GiB"
		if n >= 1024 {
			near = "MiB"
		}
		return Wrongf("got %s, which is a number of bytes, want a size with its unit: %s%s", text, text, near)
	}
	shift, ok := shifts[unit]
	if !ok || n > 1<<62>>shift {
		return wrong
	}
	*o = Memory{Text: text, bytes: n << shift}
	return nil
}

// Limit is the limit in bytes, 0 for none. A share of a machine whose memory is not
// known is no limit.
func (o *Memory) Limit() uint64 {
	if o.Percent == 0 {
		return o.bytes
	}
	return machineMemory() / 100 * o.Percent
}

// Describe is the limit for the echo of a run.
func (o *Memory) Describe() string {
	switch limit := o.Limit(); {
	case limit != 0 && o.Percent != 0:
		return results.Bytes(limit) + " (" + o.Text + " of the machine's)"
	case limit != 0:
		return results.Bytes(limit)
	case o.Percent != 0:
		return "none (the machine's memory is not known)"
	}
	return "none"
}

// machineMemory is the memory that this process may use at most, in bytes: the
// machine's, or its control group's if that is less. It is 0 when unknown, which it
// is on systems other than Linux.
func machineMemory() uint64 {
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			return ""
		}
		return string(data)
	}
	return memoryFrom(read)
}

// memoryFrom is machineMemory with the files given by read, which returns "" for a
// file that cannot be read.
func memoryFrom(read func(name string) string) uint64 {
	var least uint64
	take := func(n uint64) {
		if n != 0 && (least == 0 || n < least) {
			least = n
		}
	}
	for line := range strings.Lines(read("/proc/meminfo")) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kib, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 54)
			if err == nil {
				take(kib << 10)
			}
		}
	}
	number := func(name string) {
		// "max" and version 1's huge number both mean that there is no limit.
		if n, err := strconv.ParseUint(strings.TrimSpace(read(name)), 10, 64); err == nil && n < 1<<62 {
			take(n)
		}
	}
	for line := range strings.Lines(read("/proc/self/cgroup")) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		root, file := "", ""
		switch {
		case fields[1] == "":
			root, file = "/sys/fs/cgroup", "memory.max"
		case strings.Contains(","+fields[1]+",", ",memory,"):
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// The limits of every group above count too.
		for dir := path.Clean("/" + fields[2]); ; dir = path.Dir(dir) {
			number(path.Join(root, dir, file))
			if dir == "/" {
				break
			}
		}
	}
	return least
}
