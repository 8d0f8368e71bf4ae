package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"vsrcheck/results"
	"vsrcheck/results/trace"
)

// left is, for each folder of records below runs, what those leave out. Nothing of it is in a
// table, a document or a test, and none of it decides a replay.
var left = map[string][]string{
	"networks":   {"coverage", "deciding_rules", "guards", "observed"},
	"reductions": {"coverage", "deciding_rules", "guards", "network", "observed", "properties"},
	"tlc":        {"coverage", "deciding_rules", "guards", "observed"}, // the table says of what kind the properties are
}

// shorten brings everything below the folders of runs into the form in which it is kept.
func shorten() error {
	for folder := range left {
		records, err := results.ReadAll(runs + folder)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := shortenRecord(runs+folder+"/"+r.File, r.Record); err != nil {
				return err
			}
		}
	}
	traces, err := filepath.Glob(runs + "traces/*.json")
	if err != nil {
		return err
	}
	for _, file := range traces {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		switch short, err := trace.Shorten(data); {
		case errors.Is(err, trace.ErrShort):
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", file, err)
		default:
			if err := results.WriteFile(file, short); err != nil {
				return err
			}
		}
	}
	return nil
}

// shortenRecord writes a record without what those of its folder leave out.
func shortenRecord(file string, r *results.Record) error {
	names := left[path.Base(path.Dir(file))]
	if len(names) == 0 {
		return nil
	}
	r.LeaveOut(names...)
	data, err := r.Write()
	if err != nil {
		return err
	}
	return results.WriteFile(file, data)
}
