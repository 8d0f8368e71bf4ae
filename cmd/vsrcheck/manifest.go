package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// manifestOptions is what the command line of manifest can say.
type manifestOptions struct {
	update  bool
	sizes   []string
	file    string
	workers int
}

func manifestCommand() command {
	return command{
		name: "manifest", usage: "[NAME...] [OPTIONS]",
		summary: "run the specifications and compare what they give with the manifest; without names, the tiny and small ones",
		examples: []string{
			"vsrcheck manifest",
			"vsrcheck manifest --update fetch-to-op-fixed-full",
		},
		groups: func() (any, []optionGroup) {
			o := &manifestOptions{}
			var groups optionGroups
			f := groups.add("Options")
			f.BoolVar(&o.update, "update", false, "write what the checks give to the manifest instead of comparing")
			f.StringSliceVar(&o.sizes, "size", []string{specs.Tiny, specs.Small}, "run the specifications of these `SIZE`s: "+strings.Join(specs.Sizes(), ", "))
			f.StringVar(&o.file, "file", "specs/manifest.json", "the `FILE` that --update writes, with what it has of other specifications")
			f.IntVar(&o.workers, "workers", 0, "`N` workers (default: one per processor)")
			return o, groups
		},
		completes: specNames,
		run:       runManifest,
	}
}

func runManifest(ctx context.Context, c *call) (int, error) {
	o := c.options.(*manifestOptions)
	if o.workers < 0 || o.workers > 1024 {
		return 0, job.Wrongf("--workers: got %d, want 0..1024", o.workers)
	}
	for _, s := range o.sizes {
		if !slices.Contains(specs.Sizes(), s) {
			return 0, job.Wrongf("--size: got %q, want %s%s", s, strings.Join(specs.Sizes(), ", "), job.DidYouMean(s, specs.Sizes(), ""))
		}
	}
	manifest, err := o.manifest()
	if err != nil {
		return 0, err
	}
	chosen, err := o.specs(c.args)
	if err != nil {
		return 0, err
	}
	var file *results.File
	if o.update {
		if file, err = results.Create(o.file); err != nil {
			return 0, err
		}
		defer file.Abort()
	}
	got := map[string]specs.Entry{}
	differs := false
	for _, spec := range chosen {
		began := time.Now()
		entry, err := measure(ctx, spec, o.workers)
		if err != nil {
			return 0, err
		}
		if ctx.Err() != nil {
			tell.Printf(c.stdout, "INCONCLUSIVE interrupted after %d of %s\n", len(got), results.Plural(len(chosen), "specification"))
			return exitInterrupted, nil
		}
		got[spec.Name] = entry
		want, _ := manifest.Entry(spec.Name)
		mark := "as expected"
		if entry != want {
			mark = "DIFFERS, want " + tell.EntryText(want)
			differs = true
		}
		tell.Printf(c.stdout, "%s%s: %s (%s): %s\n", spec.Name, results.Within(spec.Constraints), tell.EntryText(entry), results.Duration(time.Since(began)), mark)
	}
	if !o.update {
		if differs {
			return exitDiffers, nil
		}
		return exitHolds, nil
	}
	data, err := updated(manifest, got)
	if err != nil {
		return 0, err
	}
	return exitHolds, file.Commit(data)
}

// manifest is what the checks are compared with, or added to: the file that is to be
// written, if it is there already, else the manifest that the program was built with.
func (o *manifestOptions) manifest() (specs.Manifest, error) {
	if !o.update {
		return specs.LoadManifest()
	}
	data, err := results.ReadData(o.file)
	if errors.Is(err, fs.ErrNotExist) {
		return specs.LoadManifest()
	}
	if err != nil {
		return specs.Manifest{}, fmt.Errorf("read manifest: %w", err)
	}
	m, err := specs.ParseManifest(data)
	if err != nil {
		return m, fmt.Errorf("%s: %w", o.file, err)
	}
	return m, nil
}

// specs are the specifications that the command line chooses.
func (o *manifestOptions) specs(names []string) ([]specs.Spec, error) {
	var out []specs.Spec
	for _, name := range names {
		spec, err := specs.Load(name)
		if err != nil {
			return nil, err
		}
		out = append(out, spec)
	}
	if len(names) > 0 {
		return out, nil
	}
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(o.sizes, spec.Size) {
			out = append(out, spec)
		}
	}
	return out, nil
}

// measure runs a specification as it is and makes its manifest entry.
func measure(ctx context.Context, spec specs.Spec, workers int) (specs.Entry, error) {
	j, err := job.New(&job.Override{Spec: spec}, false, job.ReduceAll)
	if err != nil {
		return specs.Entry{}, err
	}
	memory := job.DefaultMemory()
	out, err := j.Run(ctx, explore.Options{Workers: workers, MemoryLimit: memory.Limit()})
	if err != nil {
		return specs.Entry{}, err
	}
	e := newEntry(spec)
	e.DistinctStates, e.TotalStates, e.StateDepth = out.Distinct, out.Generated, out.Depth
	switch out.End {
	case job.EndHolds:
		e.Result = specs.ResultSuccess
	case job.EndNothing:
		e.Result = specs.ResultAssumption
	case job.EndDeadlock:
		e.Result = specs.ResultDeadlock
	case job.EndSafety:
		e.Result = specs.ResultSafety
	case job.EndLiveness:
		e.Result = specs.ResultLiveness
	}
	if v := out.Decisive(); v != nil {
		e.Violated, e.TraceLength = v.Property, job.Steps(v)
	}
	return e, nil
}

// newEntry is the entry of a specification that has not been run.
func newEntry(spec specs.Spec) specs.Entry {
	return specs.Entry{Path: spec.Path, Size: spec.Size, Mode: specs.ModeExhaustive, Result: specs.ResultUnknown}
}

// updated is the manifest of all specifications there are: with the new entries, the
// old ones for those that were not run, and unknown ones for those never run.
func updated(old specs.Manifest, got map[string]specs.Entry) ([]byte, error) {
	var entries []specs.Entry
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			return nil, err
		}
		e, ok := got[name]
		if !ok {
			if e, ok = old.Entry(name); !ok || e.Size != spec.Size {
				e = newEntry(spec)
			}
		}
		entries = append(entries, e)
	}
	return specs.NewManifest(entries).Write()
}
