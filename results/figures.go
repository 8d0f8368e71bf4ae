package results

import (
	"fmt"
	"strconv"
	"time"
)

// Count writes a number with separators: 1,234,567.
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes a number with what it counts: 1 step, 2 steps.
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// Bytes writes a size in binary units with three digits: 1.25 GiB.
func Bytes(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	f, u := float64(n), 0
	for f >= 1024 && u < len(units)-1 {
		f /= 1024
		u++
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return threeDigits(f) + " " + units[u]
}

// Rate writes a number of states per second: 1.25 M/s.
func Rate(perSecond float64) string {
	switch {
	case perSecond >= 1e6:
		return threeDigits(perSecond/1e6) + " M/s"
	case perSecond >= 1e3:
		return threeDigits(perSecond/1e3) + " k/s"
	}
	return fmt.Sprintf("%.0f/s", perSecond)
}

// Duration writes a time with a precision that fits its length.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Seconds is Duration for so many seconds.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }

func threeDigits(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.2f", f)
}
