package explore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vsrcheck/explore/internal/store"
	"vsrcheck/explore/lock"
)

// TestUnwritable: what cannot be written is found before any state is.
func TestUnwritable(t *testing.T) {
	sys, props := lifted(4, 2)
	props.Constraint = func(*tuple) bool { t.Error("a state was visited"); return false }
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), "/proc/none", filepath.Join(t.TempDir(), "none")} {
		_, err := Check(context.Background(), sys, props, Options{SpillDir: dir})
		if !errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), dir) {
			t.Errorf("--spill-dir %s: got %v", dir, err)
		}
		if filepath.Base(dir) == "none" && dir != "/proc/none" {
			continue // a checkpoint makes its directory
		}
		_, err = Check(context.Background(), sys, props, Options{Checkpoint: &Checkpointing{Dir: dir}})
		if !errors.Is(err, ErrFolder) || !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), dir) {
			t.Errorf("--checkpoint %s: got %v", dir, err)
		}
	}
}

// TestTidy: what killed runs have left goes with the next run; what is in use, or nobody's,
// stays.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	put := func(names ...string) {
		t.Helper()
		for _, name := range names {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if filepath.Base(name) == "." {
				continue
			}
			if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("explore-1/levels-000000", "explore-1/lock", "explore-2/temporary-000001", "explore-3/notes", "explore-x/levels-000000", "explore-5", "explore-6/levels-000000")
	if err := os.Mkdir(filepath.Join(dir, "explore-4"), 0o777); err != nil {
		t.Fatal(err)
	}
	held, err := lock.Take(filepath.Join(dir, "explore-6", store.LockName))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	sys, props := lifted(4, 2)
	mustCheck(t, sys, props, Options{SpillDir: dir})
	for name, stays := range map[string]bool{"explore-1": false, "explore-2": false, "explore-3/notes": true, "explore-4": false,
		"explore-5": true, "explore-6/levels-000000": true, "explore-x/levels-000000": true} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: stays: %v, want %v", name, err == nil, stays)
		}
	}
}

// TestForged makes up lists of checkpoints, with checksums that are right: each is refused, or
// what comes of it is a result; nothing panics, and nothing is written elsewhere.
func TestForged(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	sys, props := lifted(4, 2)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, store := range []StoreKind{StoreExact, StoreHash64} {
		dir := t.TempDir()
		mustCheck(t, sys, props, Options{Store: store, MaxDepth: 12, Checkpoint: &Checkpointing{Dir: dir}})
		l, err := readList(dir)
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		values := []any{-1, 0, 1, 7, 1 << 40, uint64(1<<64 - 1), "", "..", "../outside", "levels-000000", "/dev/zero", nil, []any{}, map[string]any{}}
		refused := 0
		for round := range 150 {
			copied := filepath.Join(t.TempDir(), "c")
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{listName + partSuffix, fmt.Sprintf("levels-%06d", l.Volumes)} {
				if err := os.Symlink(outside, filepath.Join(copied, name)); err != nil {
					t.Skip(err)
				}
			}
			var forged any
			if err := json.Unmarshal(body, &forged); err != nil {
				t.Fatal(err)
			}
			what := forge(rng, forged, values[rng.IntN(len(values))])
			text, err := json.Marshal(forged)
			if err != nil {
				t.Fatal(err)
			}
			text = append(fmt.Appendf(nil, "%s%x\n", listHeader, sha256.Sum256(text)), text...)
			if err := os.WriteFile(filepath.Join(copied, listName), text, 0o666); err != nil {
				t.Fatal(err)
			}
			_, err = Check(context.Background(), sys, props, Options{Store: store, Checkpoint: &Checkpointing{Dir: copied, Resume: true, Every: time.Hour * time.Duration(round%2)}})
			switch {
			case err != nil && strings.Contains(err.Error(), "disk") || err != nil && !strings.Contains(err.Error(), copied) && !strings.Contains(err.Error(), "volume"):
				t.Errorf("%s: got %v, want an error that names the file", what, err)
			case err != nil:
				refused++
			}
			if kept, err := os.ReadFile(outside); err != nil || string(kept) != "kept" {
				t.Fatalf("%s: wrote %q elsewhere", what, kept)
			}
		}
		if refused < 50 {
			t.Errorf("%s: only %d are refused", store, refused)
		}
	}
}

// forge replaces some value within v, and says which.
func forge(rng *rand.Rand, v, by any) string {
	switch v := v.(type) {
	case map[string]any:
		var keys []string
		for k := range v {
			keys = append(keys, k)
		}
		if len(keys) == 0 {
			return ""
		}
		slices.Sort(keys)
		k := keys[rng.IntN(len(keys))]
		if rng.IntN(3) > 0 {
			if below := forge(rng, v[k], by); below != "" {
				return k + "." + below
			}
		}
		v[k] = by
		return fmt.Sprintf("%s=%v", k, by)
	case []any:
		if len(v) == 0 {
			return ""
		}
		i := rng.IntN(len(v))
		if below := forge(rng, v[i], by); below != "" {
			return fmt.Sprintf("[%d].%s", i, below)
		}
		v[i] = by
		return fmt.Sprintf("[%d]=%v", i, by)
	}
	return ""
}

// TestNoRegularFile: a checkpoint of pipes and devices is refused at once.
func TestNoRegularFile(t *testing.T) {
	sys, props := lifted(4, 2)
	dir := t.TempDir()
	mustCheck(t, sys, props, Options{MaxDepth: 8, Checkpoint: &Checkpointing{Dir: dir}})
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		copied := filepath.Join(t.TempDir(), "c")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(copied, f.Name())
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/dev/zero", path); err != nil {
			t.Skip(err)
		}
		_, err := Check(context.Background(), sys, props, Options{Checkpoint: &Checkpointing{Dir: copied, Resume: true}})
		if !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), path+" is not a regular file") {
			t.Errorf("%s: got %v", f.Name(), err)
		}
	}
}

// TestCheckpointLost: a checkpoint that cannot be saved costs no figures.
func TestCheckpointLost(t *testing.T) {
	sys, props := lifted(4, 2)
	dir := filepath.Join(t.TempDir(), "c")
	steps := 0
	during := props
	during.Constraint = func(s *tuple) bool {
		if steps++; steps == 2000 {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		}
		return props.Constraint(s)
	}
	r, err := Check(context.Background(), sys, during, Options{Workers: 1, MaxDepth: 12, Checkpoint: &Checkpointing{Dir: dir, Every: time.Hour}})
	if err != nil || r.Distinct == 0 || r.CheckpointErr == nil || r.Checkpoint != "" || !errors.Is(r.CheckpointErr, ErrCheckpoint) {
		t.Errorf("got %v, %+v", err, r)
	}
}
