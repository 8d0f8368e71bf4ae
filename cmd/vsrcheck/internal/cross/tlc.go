package cross

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/tlc"
	"vsrcheck/specs"
)

// ErrNoTLC is wrapped by the error that says that there is no TLC to run.
var ErrNoTLC = errors.New("TLC does not start")

// TLCRun is one run of TLC in a folder of its own.
type TLCRun struct {
	command string // of the shell
	config  string // text of the .cfg file
	workers int    // 0 is one, with which the traces are the shortest and the depth is exact
	timeout time.Duration
	dumped  func(state string) error // called with each distinct state, in TLC's order; nil for none

	took tlc.SpeedTimes // set by start: of the process
}

// start runs TLC to its end and returns its output. Its error wraps ErrNoTLC when the
// command starts something else than TLC, or nothing.
func (r *TLCRun) start(ctx context.Context) (output string, err error) {
	dir, err := os.MkdirTemp("", "vsrcheck-tlc-")
	if err != nil {
		return "", fmt.Errorf("%w: %w", results.ErrOutput, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	module, config, dump := filepath.Join(dir, specs.ModuleName+".tla"), filepath.Join(dir, specs.ModuleName+".cfg"), filepath.Join(dir, "states.dump")
	for path, text := range map[string]string{module: specs.Module(), config: r.config} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("%w: %w", results.ErrOutput, err)
		}
	}
	if r.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.timeout)
		defer cancel()
	}
	// Liveness is checked once, at the end, so that the counts are those of the whole space.
	args := []string{"-workers", strconv.Itoa(max(r.workers, 1)), "-lncheck", "final", "-noGenerateSpecTE", "-metadir", filepath.Join(dir, "states"), "-config", config}
	if r.dumped != nil {
		args = append(args, "-dump", dump)
	}
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", "exec " + r.command + ` "$@"`, "tlc"}, append(args, module)...)...)
	cmd.WaitDelay = 5 * time.Second // for what the command has started in its turn
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	failed := cmd.Run() // TLC's exit code says no more than its output
	r.took = timesOf(began, cmd)
	begin := strings.Index("\n"+stdout.String(), "\n"+tlc.Title)
	if begin < 0 {
		why := firstLine(stderr.String() + "\n" + stdout.String())
		if why == "" && failed != nil {
			why = failed.Error()
		}
		return "", fmt.Errorf("%w with --tlc %q: %s; get tla2tools.jar and say --tlc 'java -cp tla2tools.jar tlc2.TLC'", ErrNoTLC, r.command, why)
	}
	if r.dumped != nil {
		if err := r.readDump(dump); err != nil {
			return "", err
		}
	}
	return stdout.String()[begin:], nil
}

// firstLine is the first line that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// readDump calls dumped with each state of TLC's dump. A state begins with a line
// "State 1:" and ends before the next one.
func (r *TLCRun) readDump(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read TLC's states: %w", err)
	}
	defer func() { _ = file.Close() }()
	var state strings.Builder
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read TLC's states: %w", err)
		}
		if end := errors.Is(err, io.EOF); end || strings.HasPrefix(line, "State ") {
			if strings.TrimSpace(state.String()) != "" {
				if err := r.dumped(state.String()); err != nil {
					return err
				}
			}
			state.Reset()
			if end {
				return nil
			}
			continue
		}
		state.WriteString(line)
	}
}

// stateSet is the set of the states that this checker reaches, to compare with TLC's.
type stateSet struct {
	model  *model.Model
	states []uint64 // encoded, in the order in which they were found
	number map[[sha256.Size]byte]int
	seen   []bool // by number: TLC reaches it too
	alien  string // the first state that only TLC reaches
	aliens int
	failed error
}

func newStateSet(m *model.Model) *stateSet {
	return &stateSet{model: m, number: map[[sha256.Size]byte]int{}}
}

// add takes a state of this checker.
func (s *stateSet) add(state *model.State) {
	text, err := tlc.CanonicalState(s.model.TLA(state))
	if err != nil {
		s.failed = err
		return
	}
	key := sha256.Sum256([]byte(text))
	if _, ok := s.number[key]; ok {
		return
	}
	s.number[key] = len(s.seen)
	s.seen = append(s.seen, false)
	words := make([]uint64, s.model.Words())
	s.model.Encode(state, words)
	s.states = append(s.states, words...)
}

// see takes a state of TLC.
func (s *stateSet) see(state string) error {
	text, err := tlc.CanonicalState(state)
	if err != nil {
		return err
	}
	if i, ok := s.number[sha256.Sum256([]byte(text))]; ok {
		s.seen[i] = true
		return s.failed
	}
	if s.aliens++; s.aliens == 1 {
		s.alien = text
	}
	return s.failed
}

// report prints whether the sets are equal, and of what only one has the first state.
func (s *stateSet) report(out io.Writer, name string) bool {
	missed, first := 0, -1
	for i, seen := range s.seen {
		if !seen {
			if missed++; missed == 1 {
				first = i
			}
		}
	}
	if missed+s.aliens == 0 {
		tell.Printf(out, "%s: the same %s in both\n", name, results.Count(uint64(len(s.seen)))+" states")
		return true
	}
	tell.Printf(out, "%s: only here %d states, only under TLC %d\n", name, missed, s.aliens)
	if first >= 0 {
		var state model.State
		s.model.Decode(s.states[first*s.model.Words():], &state)
		text, _ := tlc.CanonicalState(s.model.TLA(&state))
		tell.Printf(out, "the first state that is reached only here:\n%s", text)
	}
	if s.aliens > 0 {
		tell.Printf(out, "the first state that is reached only under TLC:\n%s", s.alien)
	}
	return false
}
