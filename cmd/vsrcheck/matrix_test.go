package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/matrix"
)

// runMatrixTest runs a matrix whose cells are small up to a number of states, and returns
// what it prints without the times.
func runMatrixTest(t *testing.T, ctx context.Context, small uint64, want int, args ...string) string {
	t.Helper()
	text := cellTest(t, ctx, matrixCommand(), small, want, args)
	return regexp.MustCompile(`(?m) +[0-9.msh]+  (\S[^\n]*)$`).ReplaceAllString(text, "  $1")
}

// TestMatrixIsDeterministic holds the table to be the same however the cells are run: side
// by side or alone, by one worker or by several.
func TestMatrixIsDeterministic(t *testing.T) {
	args := []string{"tiny-fetch-to-op-old", "tiny-fetch-to-op-fixed", "--rules", "gap_check,serve_ceiling", "--pairs"}
	want := ""
	smalls, numbers := []uint64{1, 500, defaultSmallCell}, []string{"1", "3"}
	if testing.Short() {
		smalls, numbers = []uint64{1, defaultSmallCell}, numbers[1:]
	}
	for _, small := range smalls {
		for _, workers := range numbers {
			got := runMatrixTest(t, context.Background(), small, exitHolds, append(args, "--workers", workers)...)
			if want == "" {
				want = got
			}
			if got != want || !strings.Contains(got, "DECIDED 12 cells: ") {
				t.Errorf("with cells of %d states side by side and %s workers: got\n%s\nwant\n%s", small, workers, got, want)
			}
		}
	}
}

// TestMatrixAgreesWithCheck holds cells to what check gives.
func TestMatrixAgreesWithCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("many checks, one after the other")
	}
	dir := t.TempDir()
	matrixFile, record := filepath.Join(dir, "matrix.json"), filepath.Join(dir, "run.json")
	runMatrixTest(t, context.Background(), defaultSmallCell, exitHolds, "tiny-fetch-to-op-old", "--rules", "gap_check,serve_ceiling,session_end", "--pairs", "--json", matrixFile)
	data, err := os.ReadFile(matrixFile)
	if err != nil {
		t.Fatal(err)
	}
	var grid matrix.Matrix
	if err := json.Unmarshal(data, &grid); err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for _, cell := range grid.Cells {
		args := append(strings.Fields(grid.Command(&cell))[1:], "--json", record)
		if len(cell.Changed) == 2 {
			pairs++
		}
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), args, &stdout, &stderr)
		r, err := results.Read(record)
		if err != nil {
			t.Fatal(err)
		}
		if cell.ExitCode != code || cell.Verdict != r.Verdict || cell.Distinct != r.Distinct || cell.Generated != r.Generated ||
			cell.Depth != r.Depth || len(cell.Violations) != len(r.Violations) {
			t.Errorf("%s: got %+v, check gives %d, %s, %d, %d, depth %d", cell.Name(), cell.Outcome, code, r.Verdict, r.Distinct, r.Generated, r.Depth)
		}
	}
	// Of three rules, one has three alternatives.
	if len(grid.Cells) != 1+4+5 || pairs != 5 {
		t.Errorf("got %d cells and %d pairs, want 10 and 5", len(grid.Cells), pairs)
	}
}

// TestMatrixInterrupted ends a matrix early, and goes on with it.
func TestMatrixInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cells.jsonl")
	args := []string{"tiny-fetch-to-op-old", "--rules", "gap_check", "--resume", file}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := runMatrixTest(t, ctx, defaultSmallCell, exitInterrupted, args...)
	if want := "INTERRUPTED 0 of 3 cells are finished; the same command goes on"; !strings.Contains(got, want) || !strings.Contains(got, "inconclusive: interrupted") {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := runMatrixTest(t, context.Background(), defaultSmallCell, exitHolds, args...); !strings.Contains(got, "DECIDED 3 cells") {
		t.Errorf("got %s", got)
	}
}

// TestMatrixSharesFinishedCells has a check be a cell of two matrices, in which other rules
// are changed: what it says of rules that decided nothing is the same as in a fresh one.
func TestMatrixSharesFinishedCells(t *testing.T) {
	dir := t.TempDir()
	cells := func(file string, args ...string) (out []matrix.Cell) {
		t.Helper()
		json := filepath.Join(dir, "matrix.json")
		args = append(args, "--json", json)
		if file != "" {
			args = append(args, "--resume", filepath.Join(dir, file))
		}
		runMatrixTest(t, context.Background(), defaultSmallCell, exitHolds, args...)
		m, err := matrix.Read(json)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range m.Cells {
			c.Seconds = 0
			out = append(out, c)
		}
		return out
	}
	first := []string{"tiny-fetch-to-op-fixed", "--rules", "fetch_to_op,nack_quorum"}
	second := []string{"tiny-fetch-to-op-old", "--rules", "fetch_to_op,nack_quorum", "--pairs"}
	for _, order := range [][2][]string{{first, second}, {second, first}} {
		file := "cells-" + order[0][0]
		cells(file, order[0]...)
		if got, want := cells(file, order[1]...), cells("", order[1]...); !reflect.DeepEqual(got, want) {
			t.Errorf("%v after %v: got\n%+v\nwant\n%+v", order[1], order[0], got, want)
		}
	}
}
