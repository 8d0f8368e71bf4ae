package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// lifted is a lattice with properties of every kind, some of which are violated and do
// not end the search.
func lifted(top, width int) (*lattice, Properties[tuple]) {
	return &lattice{n: 5, top: top, width: width}, Properties[tuple]{
		Invariants: []Invariant[tuple]{{"corner", func(s *tuple) bool { return sum(s) < 5*top-3 }}},
		Reachable:  []Reachable[tuple]{{"far", func(s *tuple) bool { return s[0] == top && s[4] > top/2 }}},
		Actions:    []ActionProperty[tuple]{{"bounded", func(_ *tuple, _ Action, u *tuple) bool { return u[0] < 2 || u[1] < top-2 }}},
		Recurrent:  []Recurrent[tuple]{{"leave", func(s *tuple) uint64 { return uint64(s[3] / top) }}},
		Observed:   []Observed[tuple]{{"end", func(s *tuple) bool { return s[0] == top }}},
		Constraint: func(s *tuple) bool { return s[2] != top-2 || s[3] != top-2 },
		Deferred:   map[string]bool{"corner": true, "bounded": true, "leave": true},

		ConstraintParts: []Invariant[tuple]{{"low", func(s *tuple) bool { return s[0] < 2 }}, {"all", func(*tuple) bool { return true }}},
	}
}

// TestResume ends runs early again and again, and goes on with them: in the end the
// result is that of a run that was left alone.
func TestResume(t *testing.T) {
	t.Parallel()
	for _, store := range []StoreKind{StoreExact, StoreHash64, StoreHash128} {
		for _, width := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/%d", store, width), func(t *testing.T) {
				t.Parallel()
				sys, props := lifted(5, width)
				want := mustCheck(t, sys, props, Options{Workers: 2, Store: store})
				dir := filepath.Join(t.TempDir(), "checkpoint")
				rng := rand.New(rand.NewPCG(7, uint64(width)))
				rounds := 0
				for {
					opt := Options{Workers: 1 + rng.IntN(3), Store: store,
						Checkpoint: &Checkpointing{Dir: dir, Every: time.Duration(rng.IntN(2)) * time.Hour, Identity: "lifted", Resume: rounds > 0}}
					if store == StoreExact && rng.IntN(2) == 0 {
						opt.MemoryLimit = want.StoreBytes / 3
					}
					if rounds < 10 {
						opt.MaxDepth = 1 + 2*rounds + rng.IntN(3)
					}
					got := mustCheck(t, sys, props, opt)
					if got.Stop == StopNone {
						sameResult(t, "", got, want)
						break
					}
					if got.Checkpoint != dir {
						t.Fatalf("stopped without a checkpoint: %s", gist(got))
					}
					rounds++
				}
				if rounds < 5 {
					t.Errorf("only %d rounds", rounds)
				}
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("%v left", left)
				}
			})
		}
	}
}

// TestResumeInterrupted interrupts in the middle of levels.
func TestResumeInterrupted(t *testing.T) {
	t.Parallel()
	sys, props := lifted(6, 2)
	want := mustCheck(t, sys, props, Options{Workers: 2})
	for round := range 4 {
		dir := t.TempDir()
		steps := 0
		ctx, cancel := context.WithCancel(context.Background())
		cut := props
		cut.Constraint = func(s *tuple) bool {
			if steps++; steps >= 2000*(round+1) {
				cancel()
				time.Sleep(time.Millisecond) // until the run has noticed
			}
			return props.Constraint(s)
		}
		check := &Checkpointing{Dir: dir, Every: time.Hour}
		r, err := Check(ctx, sys, cut, Options{Workers: 1, Checkpoint: check})
		if err != nil || r.Stop != StopInterrupted {
			t.Fatalf("got %s, stop %q, %v", gist(r), r.Stop, err)
		}
		resumed := *check
		resumed.Resume = true
		got := mustCheck(t, sys, props, Options{Workers: 2, Checkpoint: &resumed})
		sameResult(t, "", got, want)
	}
}

// TestResumeWithin interrupts searches in the middle of levels, several times in one, and goes
// on with them under other limits: states are brought back that were on disk, and taken to
// disk that were in memory.
func TestResumeWithin(t *testing.T) {
	t.Parallel()
	rounds := 16
	if long() {
		rounds = 200
	} else if testing.Short() || raceDetector {
		rounds = 8
	}
	parts, spilled, back, twice := 0, 0, 0, 0
	for round := range rounds {
		rng := rand.New(rand.NewPCG(11, uint64(round)))
		kind := []StoreKind{StoreExact, StoreExact, StoreHash64, StoreHash128}[round%4]
		sys, props := lifted(5+rng.IntN(2), 1+rng.IntN(3))
		want := mustCheck(t, sys, props, Options{Workers: 2, Store: kind})
		dir := filepath.Join(t.TempDir(), "c")
		depth, unseen, decided := -1, false, false
		for resume := false; ; resume = true {
			ctx, cancel := context.WithCancel(context.Background())
			var steps atomic.Int64
			last := int64(500 + rng.IntN(9000))
			cut := props
			cut.Constraint = func(s *tuple) bool {
				if steps.Add(1) == last && !decided {
					cancel()
					time.Sleep(time.Millisecond)
				}
				return props.Constraint(s)
			}
			opt := Options{Workers: 1 + rng.IntN(3), Store: kind,
				Checkpoint: &Checkpointing{Dir: dir, Every: []time.Duration{0, 1, time.Millisecond, time.Hour}[rng.IntN(4)], Resume: resume}}
			if kind == StoreExact && rng.IntN(2) == 0 {
				opt.MemoryLimit = want.StoreBytes / 3
			}
			got, err := Check(ctx, sys, cut, opt)
			cancel()
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if got.Stop == StopNone && got.Checkpoint == "" {
				sameResult(t, fmt.Sprintf("round %d: ", round), got, want)
				break
			}
			if got.Stop == StopNone {
				decided = true // interrupted after that: the checkpoint is still there
				continue
			}
			if got.Stop == StopMemory && opt.MemoryLimit != 0 {
				continue // the nodes take it all
			}
			if got.Stop != StopInterrupted {
				t.Fatalf("round %d: %s, stop %q: %s", round, gist(got), got.Stop, got.Reason)
			}
			if got.Checkpoint == "" {
				t.Fatalf("round %d: no checkpoint", round)
			}
			l, err := readList(dir)
			if err != nil {
				t.Fatal(err)
			}
			if l.Part == nil {
				depth = -1
				continue
			}
			parts++
			if l.Part.Unseen {
				spilled++
			} else if unseen {
				back++
			}
			if l.Border.Depth == depth {
				twice++
			}
			depth, unseen = l.Border.Depth, l.Part.Unseen
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("round %d: %v left", round, left)
		}
	}
	t.Logf("%d parts of levels, %d on disk, %d back in memory, %d of the same level as before", parts, spilled, back, twice)
	if parts < rounds || spilled == 0 || back == 0 || twice == 0 {
		t.Errorf("%d parts, %d on disk, %d back, %d twice", parts, spilled, back, twice)
	}
}

// TestPartFiles: what a checkpoint in the middle of a level needed is gone when there is a
// later one, so that a search of many checkpoints does not fill the disk.
func TestPartFiles(t *testing.T) {
	t.Parallel()
	for _, kind := range []StoreKind{StoreExact, StoreHash64} {
		sys, props := lifted(6, 2)
		dir := t.TempDir()
		got := mustCheck(t, sys, props, Options{Workers: 2, Store: kind, MaxDepth: 14, Checkpoint: &Checkpointing{Dir: dir, Every: 1}})
		l, err := readList(dir)
		if err != nil {
			t.Fatal(err)
		}
		if l.Part == nil {
			t.Errorf("%s: the last checkpoint is of a border", kind)
		}
		files, err := filepath.Glob(filepath.Join(dir, "parts-*"))
		if err != nil {
			t.Fatal(err)
		}
		bytes := int64(0)
		for _, name := range files {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			bytes += info.Size()
		}
		if most := int64(slices.Max(got.Levels)) * 8 * 2 * 2; bytes == 0 || bytes > most {
			t.Errorf("%s: %d bytes in %v, want at most %d", kind, bytes, files, most)
		}
	}
}

// Of a test process that is another process of this test binary.
const killedEnv = "EXPLORE_KILLED_RUN"

type killedRun struct {
	Dir    string
	Store  StoreKind
	Limit  uint64
	Every  time.Duration
	Resume bool
}

// TestKilledProcess is the process that TestKill kills; it does nothing on its own.
func TestKilledProcess(t *testing.T) {
	var k killedRun
	if text := os.Getenv(killedEnv); text == "" {
		t.Skip("only a part of TestKill")
	} else if err := json.Unmarshal([]byte(text), &k); err != nil {
		t.Fatal(err)
	}
	sys, props := lifted(5, 2)
	r, err := Check(context.Background(), sys, props, Options{Workers: 2, Store: k.Store, MemoryLimit: k.Limit,
		Checkpoint: &Checkpointing{Dir: k.Dir, Every: k.Every, Resume: k.Resume}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(withoutFigures(r))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.Dir, "result"), out, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestKill kills processes at random moments, most of them in the middle of writing a
// checkpoint, as there is one at every level, or for every few states; what they leave is gone
// on with.
func TestKill(t *testing.T) {
	kills := 54
	if testing.Short() || raceDetector {
		kills = 6
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sys, props := lifted(5, 2)
	rng := rand.New(rand.NewPCG(8, 9))
	killed, resumed, within := 0, 0, 0
	for i := 0; killed < kills; i++ {
		store := []StoreKind{StoreExact, StoreExact, StoreHash64, StoreHash128}[i%4]
		want := mustCheck(t, sys, props, Options{Workers: 2, Store: store})
		k := killedRun{Dir: t.TempDir(), Store: store, Every: time.Duration(i / 4 % 2)}
		if i%4 == 1 {
			k.Limit = want.StoreBytes / 3
		}
		// The longer it takes, the later the kills, so that a slow machine comes to an end.
		for most := 100; ; most += 50 {
			text, err := json.Marshal(k)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe, "-test.run=^TestKilledProcess$")
			cmd.Env = append(os.Environ(), killedEnv+"="+string(text))
			var output strings.Builder
			cmd.Stdout, cmd.Stderr = &output, &output
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killer := time.AfterFunc(time.Duration(1+rng.IntN(most))*time.Millisecond, func() { cmd.Process.Kill() })
			err = cmd.Wait()
			killer.Stop()
			if err == nil {
				break
			}
			if cmd.ProcessState.ExitCode() >= 0 {
				t.Fatalf("not killed, but %v:\n%s", err, output.String())
			}
			killed++
			// It may also have been at its end, where the checkpoint goes.
			_, err = os.Stat(filepath.Join(k.Dir, listName))
			if k.Resume = err == nil; k.Resume {
				resumed++
				if l, err := readList(k.Dir); err != nil {
					t.Fatal(err)
				} else if l.Part != nil {
					within++
				}
			}
		}
		wanted, err := json.Marshal(withoutFigures(want))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(k.Dir, "result")); err != nil || string(got) != string(wanted) {
			t.Fatalf("%s, limit %d: got %.500s, %v, want %.500s", store, k.Limit, got, err, wanted)
		}
	}
	if resumed < kills/4 || within < kills/12 {
		t.Errorf("of %d kills only %d left a checkpoint, %d within a level", killed, resumed, within)
	}
}

// TestDamage flips bits all over a checkpoint: the run goes on exactly, or is refused.
func TestDamage(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 3))
	for i, store := range []StoreKind{StoreExact, StoreHash64, StoreExact, StoreHash64} {
		sys, props := lifted(4, 2)
		want := mustCheck(t, sys, props, Options{Store: store})
		dir := t.TempDir()
		every := time.Duration(i / 2) // within a level, too
		mustCheck(t, sys, props, Options{Store: store, MaxDepth: 12, Checkpoint: &Checkpointing{Dir: dir, Every: every}})
		if l, err := readList(dir); err != nil || (l.Part != nil) != (every > 0) {
			t.Fatalf("got a part %v, %v", l.Part, err)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) < 2 {
			t.Fatalf("%v, %v", files, err)
		}
		refused := 0
		for range 60 {
			copied := t.TempDir()
			if err := os.CopyFS(filepath.Join(copied, "c"), os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(copied, "c", files[rng.IntN(len(files))].Name())
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			switch at := rng.IntN(len(data)); rng.IntN(4) {
			case 0:
				data = data[:at]
			default:
				data[at] ^= 1 << rng.IntN(8)
			}
			if err := os.WriteFile(name, data, 0o666); err != nil {
				t.Fatal(err)
			}
			got, err := Check(context.Background(), sys, props, Options{Store: store, Checkpoint: &Checkpointing{Dir: filepath.Join(copied, "c"), Resume: true}})
			switch {
			case err != nil && errors.Is(err, ErrCheckpoint) && strings.Contains(err.Error(), copied):
				refused++
			case err != nil:
				t.Errorf("%s: got %v, want an error that names the file", filepath.Base(name), err)
			case !reflect.DeepEqual(withoutFigures(got), withoutFigures(want)):
				t.Errorf("%s: got %s, want %s", filepath.Base(name), gist(got), gist(want))
			}
		}
		// Nothing refers any more to some bytes of the parts of earlier levels.
		if least := 50 - 20*int(every); refused < least {
			t.Errorf("%s, every %d: only %d of 60 refused", store, every, refused)
		}
	}
}

// TestCheckpointRefusals: what is not the same run is not gone on with, and a checkpoint
// is not overwritten.
func TestCheckpointRefusals(t *testing.T) {
	sys, props := lifted(4, 2)
	dir := t.TempDir()
	mustCheck(t, sys, props, Options{MaxDepth: 5, Checkpoint: &Checkpointing{Dir: dir, Identity: "one"}})
	if id, err := CheckpointIdentity(dir); id != "one" || err != nil {
		t.Errorf("identity %q, %v", id, err)
	}
	other := props
	other.Invariants = nil
	for _, test := range []struct {
		name  string
		sys   *lattice
		props Properties[tuple]
		opt   Options
		want  string
	}{
		{"fresh", sys, props, Options{Checkpoint: &Checkpointing{Dir: dir, Identity: "one"}}, "holds one already"},
		{"identity", sys, props, Options{Checkpoint: &Checkpointing{Dir: dir, Identity: "two", Resume: true}}, "got one, want two"},
		{"store", sys, props, Options{Store: StoreHash64, Checkpoint: &Checkpointing{Dir: dir, Identity: "one", Resume: true}}, "got exact, want hash64"},
		{"width", &lattice{n: 5, top: 4, width: 3}, props, Options{Checkpoint: &Checkpointing{Dir: dir, Identity: "one", Resume: true}}, "got 2, want 3"},
		{"properties", sys, other, Options{Checkpoint: &Checkpointing{Dir: dir, Identity: "one", Resume: true}}, "properties"},
		{"none", sys, props, Options{Checkpoint: &Checkpointing{Dir: t.TempDir(), Resume: true}}, "none in"},
	} {
		_, err := Check(context.Background(), test.sys, test.props, test.opt)
		if !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	// It is still there.
	if got := mustCheck(t, sys, props, Options{Checkpoint: &Checkpointing{Dir: dir, Identity: "one", Resume: true}}); got.Verdict != Violated {
		t.Errorf("got %s", gist(got))
	}
}

// TestCheckpointDiskLimit: without room for checkpoints a run ends, and the last one that
// was complete is good.
func TestCheckpointDiskLimit(t *testing.T) {
	sys, props := lifted(5, 2)
	want := mustCheck(t, sys, props, Options{})
	for limit := uint64(1 << 12); limit < 1<<16; limit *= 2 {
		dir := t.TempDir()
		r := mustCheck(t, sys, props, Options{DiskLimit: limit, Checkpoint: &Checkpointing{Dir: dir}})
		if r.Stop != StopDisk || r.Checkpoint == "" || r.DiskBytes > limit {
			t.Fatalf("limit %d: %s, stop %q, checkpoint %q, %d bytes", limit, gist(r), r.Stop, r.Checkpoint, r.DiskBytes)
		}
		got := mustCheck(t, sys, props, Options{Checkpoint: &Checkpointing{Dir: dir, Resume: true}})
		sameResult(t, fmt.Sprintf("limit %d: ", limit), got, want)
	}
}

// TestCheckpointNoRoom: a run that cannot make its first checkpoint leaves no files that
// nothing can go on with.
func TestCheckpointNoRoom(t *testing.T) {
	for _, store := range []StoreKind{StoreExact, StoreHash64} {
		sys, props := lifted(5, 2)
		dir := t.TempDir()
		r := mustCheck(t, sys, props, Options{Store: store, DiskLimit: 100, Checkpoint: &Checkpointing{Dir: dir, Every: time.Hour}})
		if r.Stop != StopDisk && r.Stop != StopNone || r.Checkpoint != "" || r.DiskBytes > 100 {
			t.Errorf("%s: %s, stop %q, checkpoint %q, %d bytes", store, gist(r), r.Stop, r.Checkpoint, r.DiskBytes)
		}
		r = mustCheck(t, sys, props, Options{Store: store, MaxDepth: 5, DiskLimit: 1000, Checkpoint: &Checkpointing{Dir: dir, Every: time.Hour}})
		if r.Checkpoint != "" || r.DiskBytes > 1000 {
			t.Errorf("%s: %s, stop %q, checkpoint %q, %d bytes", store, gist(r), r.Stop, r.Checkpoint, r.DiskBytes)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: %v left", store, left)
		}
	}
}

// TestCheckpointGone: a checkpoint that somebody has removed is not said to be there, even if
// there was none to be made after that.
func TestCheckpointGone(t *testing.T) {
	sys, props := lifted(5, 2)
	dir := filepath.Join(t.TempDir(), "c")
	ctx, cancel := context.WithCancel(context.Background())
	cut := props
	steps := 0
	cut.Constraint = func(s *tuple) bool {
		if steps++; steps == 60 {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
			cancel()
			time.Sleep(10 * time.Millisecond)
		}
		return props.Constraint(s)
	}
	r, err := Check(ctx, sys, cut, Options{Workers: 1, Checkpoint: &Checkpointing{Dir: dir}})
	if err != nil || r.Stop != StopInterrupted || r.Checkpoint != "" || !errors.Is(r.CheckpointErr, ErrCheckpoint) {
		t.Errorf("got %s, stop %q, checkpoint %q, %v, %v", gist(r), r.Stop, r.Checkpoint, r.CheckpointErr, err)
	}
}

// TestCheckpointOfOther: the name of a directory is not a pattern, so a run touches no
// other directory, whatever the names.
func TestCheckpointOfOther(t *testing.T) {
	sys, props := lifted(4, 2)
	want := mustCheck(t, sys, props, Options{})
	parent := t.TempDir()
	one := filepath.Join(parent, "run1")
	mustCheck(t, sys, props, Options{MaxDepth: 8, Checkpoint: &Checkpointing{Dir: one}})
	for _, name := range []string{"run[1]", "run?", "run[", `run\1`} {
		mustCheck(t, sys, props, Options{MaxDepth: 3, Checkpoint: &Checkpointing{Dir: filepath.Join(parent, name)}})
		mustCheck(t, sys, props, Options{MaxDepth: 5, Checkpoint: &Checkpointing{Dir: filepath.Join(parent, name), Resume: true}})
	}
	got := mustCheck(t, sys, props, Options{Checkpoint: &Checkpointing{Dir: one, Resume: true}})
	sameResult(t, "", got, want)
}

// TestCheckpointInUse: a run does not touch the directory of another that is under way.
func TestCheckpointInUse(t *testing.T) {
	sys, props := lifted(4, 2)
	want := mustCheck(t, sys, props, Options{})
	dir := t.TempDir()
	steps := 0
	during := props
	during.Constraint = func(s *tuple) bool {
		if steps++; steps == 1000 || steps == 3000 {
			for _, resume := range []bool{false, true} {
				_, err := Check(context.Background(), sys, props, Options{MaxDepth: 3, Checkpoint: &Checkpointing{Dir: dir, Resume: resume}})
				if !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), "another run") {
					t.Errorf("step %d, resume %v: got %v, want an error", steps, resume, err)
				}
			}
		}
		return props.Constraint(s)
	}
	got := mustCheck(t, sys, during, Options{Workers: 1, MaxDepth: 9, Checkpoint: &Checkpointing{Dir: dir, Every: time.Hour}})
	if got.Checkpoint == "" || steps < 3000 {
		t.Fatalf("got %s after %d steps", gist(got), steps)
	}
	got = mustCheck(t, sys, props, Options{Checkpoint: &Checkpointing{Dir: dir, Resume: true}})
	sameResult(t, "", got, want)
}

// TestCheckpointUndecided: a run that explores everything but has no memory left to look
// for cycles can be gone on with, with more memory.
func TestCheckpointUndecided(t *testing.T) {
	const n = 20_000
	g := &graph{init: []int{0}, edges: make([][]graphEdge, n), fair: 1, width: 2}
	for i := range n {
		g.edges[i] = []graphEdge{{to: (i + 1) % n}, {to: (i*7 + 3) % n}}
	}
	props := Properties[node]{Recurrent: []Recurrent[node]{outstandingAt("leave", 5)}}
	want := mustCheck(t, g, props, Options{})
	if want.Verdict != Holds || want.Liveness != MethodComponents {
		t.Fatalf("got %s, by %s", gist(want), want.Liveness)
	}
	dir := t.TempDir()
	r := mustCheck(t, g, props, Options{MemoryLimit: want.StoreBytes / 2, Checkpoint: &Checkpointing{Dir: dir, Every: time.Hour}})
	if r.Stop != StopMemory || r.Distinct != n || r.Checkpoint != dir {
		t.Fatalf("got %s, stop %q, checkpoint %q", gist(r), r.Stop, r.Checkpoint)
	}
	got := mustCheck(t, g, props, Options{Checkpoint: &Checkpointing{Dir: dir, Resume: true}})
	sameResult(t, "", got, want)
}

// TestCheckpointVerdict: a verdict is not lost because files cannot be removed.
func TestCheckpointVerdict(t *testing.T) {
	sys, props := lifted(4, 2)
	want := mustCheck(t, sys, props, Options{})
	dir := t.TempDir()
	steps := 0
	during := props
	during.Constraint = func(s *tuple) bool {
		if steps++; steps == 4000 {
			files, err := filepath.Glob(filepath.Join(dir, "levels-*"))
			if err != nil || len(files) == 0 {
				t.Errorf("%v, %v", files, err)
			}
			for _, name := range files {
				if err := os.Remove(name); err != nil {
					t.Error(err)
				}
			}
		}
		return props.Constraint(s)
	}
	got := mustCheck(t, sys, during, Options{Workers: 1, Checkpoint: &Checkpointing{Dir: dir}})
	sameResult(t, "", got, want)
}

// TestCheckpointKeep: with more to do, a run that has decided everything leaves a checkpoint
// from which it is decided again, and its directory in use, until the caller is done.
func TestCheckpointKeep(t *testing.T) {
	for _, every := range []time.Duration{0, time.Hour} {
		for _, store := range []StoreKind{StoreExact, StoreHash64} {
			sys, props := lifted(4, 2)
			want := mustCheck(t, sys, props, Options{Store: store})
			dir := t.TempDir()
			keep := &Checkpointing{Dir: dir, Every: every, Keep: true}
			for round := range 3 {
				got := mustCheck(t, sys, props, Options{Store: store, Checkpoint: keep})
				sameResult(t, fmt.Sprintf("round %d: ", round), got, want)
				if got.Checkpoint != "" || !keep.Kept() {
					t.Fatalf("round %d: got %q, kept: %v", round, got.Checkpoint, keep.Kept())
				}
				again := &Checkpointing{Dir: dir, Resume: true, Keep: true}
				if _, err := Check(context.Background(), sys, props, Options{Store: store, Checkpoint: again}); !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), "another run uses it: process") {
					t.Fatalf("round %d: got %v, want that it is in use", round, err)
				}
				keep.Release()
				keep = again
			}
			mustCheck(t, sys, props, Options{Store: store, Checkpoint: keep})
			if err := keep.Remove(); err != nil {
				t.Fatal(err)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%v left", left)
			}
		}
	}
}
