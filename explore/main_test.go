package explore

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has less work done on the memory of the many small searches of the tests.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
