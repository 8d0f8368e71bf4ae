package matrix

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"regexp"
	"slices"

	"vsrcheck/results"
	"vsrcheck/results/internal/jsontext"
)

// ErrCells is wrapped by every error about a file that has no finished cells.
const ErrCells = results.InputError("invalid file of finished cells")

// FinishedCells is the file in which a matrix keeps each cell as it is finished, so that
// an interrupted matrix can go on: JSON, one value a line. A cell has a key that stands
// for everything that its outcome depends on.
type FinishedCells struct {
	path string
	file *os.File
	done map[string]FinishedCell
	torn bool
}

// FinishedCell is a line of the file, which ends with a checksum of the rest.
type FinishedCell struct {
	Key     string `json:"key"`
	Name    string `json:"name"`   // for people
	Limits  string `json:"limits"` // under which an inconclusive cell was run
	Outcome `json:"outcome"`
}

// cellsHead is the first line.
type cellsHead struct {
	Matrix int `json:"vsrcheck_matrix"`
}

// OpenCells opens or makes a file of finished cells, and reads what it has. A last line
// that is not complete, because its writer was killed, is cut off; Torn reports it. Any
// other line that is no cell is an error that wraps ErrCells, and the file is untouched.
func OpenCells(path string) (*FinishedCells, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no regular file", ErrCells, path)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", results.ErrOutput, err)
	}
	f := &FinishedCells{path: path, file: file, done: map[string]FinishedCell{}}
	if err := f.load(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

func (f *FinishedCells) load() error {
	if info, err := f.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is no regular file", ErrCells, f.path)
	} else if err := results.TooLong(f.path, info.Size()); err != nil {
		return fmt.Errorf("%w: %w", ErrCells, err)
	}
	data, err := io.ReadAll(f.file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCells, err)
	}
	head, err := json.Marshal(cellsHead{Schema})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCells, err)
	}
	head = append(head, '\n')
	if bytes.HasPrefix(head, data) { // new, or torn in the first line
		f.torn = len(data) > 0 && len(data) < len(head)
		return f.goOn(len(data), head[len(data):])
	}
	if !bytes.HasPrefix(data, head) {
		return fmt.Errorf("%w: %s:1: want the line %s", ErrCells, f.path, bytes.TrimSpace(head))
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	f.torn = end < len(data)
	for i, line := range bytes.Split(data[len(head):end], []byte("\n")) {
		if len(line) == 0 {
			continue // after the last end of a line
		}
		cell, err := readCell(line)
		if err != nil {
			return fmt.Errorf("%w: %s:%d: %w; remove the line to run its cell again", ErrCells, f.path, i+2, err)
		}
		f.done[cell.Key] = cell
	}
	return f.goOn(end, nil)
}

// cellSum is the end of a line: the checksum of the cell.
var cellSum = regexp.MustCompile(`,"sum":"([0-9a-f]{8})"}$`)

// sumOf is the checksum of a cell in JSON.
func sumOf(cell []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(cell, crc32.MakeTable(crc32.Castagnoli)))
}

// readCell reads a line. What its checksum is of must be as it was written, to the byte.
func readCell(line []byte) (cell FinishedCell, err error) {
	body, sum := line, cellSum.FindSubmatchIndex(line)
	if sum != nil {
		body = append(bytes.Clone(line[:sum[0]]), '}')
	}
	if err := jsontext.Parse(body, &cell, errors.New("malformed")); err != nil {
		return cell, err
	}
	if err := cell.validate(); err != nil {
		return cell, err
	}
	if sum == nil {
		return cell, errors.New("got no checksum at the end, as older programs wrote none")
	}
	if got, want := string(line[sum[2]:sum[3]]), sumOf(body); got != want {
		return cell, fmt.Errorf("the line is damaged: its checksum is %s, want %s", got, want)
	}
	return cell, nil
}

// goOn cuts the file at a size, and writes more to it.
func (f *FinishedCells) goOn(size int, more []byte) error {
	err := f.file.Truncate(int64(size))
	if err == nil {
		_, err = f.file.Seek(int64(size), io.SeekStart)
	}
	if err == nil && len(more) > 0 {
		_, err = f.file.Write(more)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", results.ErrOutput, err)
	}
	return nil
}

// validate says whether a cell agrees with itself.
func (c *FinishedCell) validate() error {
	switch {
	case c.Key == "":
		return errors.New("got no key")
	case !slices.Contains([]string{results.Holds, results.Violated, Vacuous, results.Inconclusive}, c.Verdict):
		return fmt.Errorf("got the verdict %q", c.Verdict)
	case !c.consistent():
		return fmt.Errorf("got %d violations of a cell that is %s", len(c.Violations), c.Verdict)
	}
	return nil
}

// Torn reports whether the last line was not complete.
func (f *FinishedCells) Torn() bool { return f.torn }

// Len is the number of cells that were found in the file.
func (f *FinishedCells) Len() int { return len(f.done) }

// Find is the outcome of a cell that is in the file. An inconclusive one counts under
// the same limits only: other limits may decide it.
func (f *FinishedCells) Find(key, limits string) (Outcome, bool) {
	cell, ok := f.done[key]
	if !ok || cell.Verdict == results.Inconclusive && cell.Limits != limits {
		return Outcome{}, false
	}
	return cell.Outcome, true
}

// Add appends a cell. A program that is killed after that has not lost it; what a machine
// that loses its power has lost is run again.
func (f *FinishedCells) Add(cell FinishedCell) error {
	line, err := json.Marshal(cell)
	if err == nil {
		_, err = f.file.Write(fmt.Appendf(nil, "%s,\"sum\":\"%s\"}\n", line[:len(line)-1], sumOf(line)))
	}
	if err != nil {
		return fmt.Errorf("%w %s: %w", results.ErrOutput, f.path, err)
	}
	return nil
}

// Close closes the file.
func (f *FinishedCells) Close() error { return f.file.Close() }
