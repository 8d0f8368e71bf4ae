package explore

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
)

// spillFile keeps old levels of a hash store on disk, one after the other. It is
// made when the first level comes, and removed when the run ends.
type spillFile struct {
	dir   string
	width int
	file  *os.File
	size  int64
	buf   []byte
	pool  sync.Pool // of *[]byte, for reading
}

func newSpillFile(dir string, width int) (*spillFile, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	// A mistake in the name should not show only after a long first level.
	if st, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("directory for levels: %w", err)
	} else if !st.IsDir() {
		return nil, fmt.Errorf("directory for levels: %s is a file, want a directory", dir)
	}
	return &spillFile{dir: dir, width: width}, nil
}

// spill appends a level, which is read from the file from then on.
func (f *spillFile) spill(l *hashLevel) error {
	if f.file == nil {
		var err error
		if f.file, err = os.CreateTemp(f.dir, "explore-levels-*"); err != nil {
			return fmt.Errorf("file for levels: %w", err)
		}
	}
	offset := f.size
	for _, b := range l.blocks {
		f.buf = f.buf[:0]
		for _, w := range b {
			f.buf = binary.LittleEndian.AppendUint64(f.buf, w)
		}
		n, err := f.file.Write(f.buf)
		f.size += int64(n)
		if err != nil {
			return fmt.Errorf("writing a level of %d states: %w", l.n, err)
		}
	}
	l.file, l.offset = f, offset
	return nil
}

// read fills words from an offset. Several workers may read at once.
func (f *spillFile) read(offset int64, words []uint64) ([]uint64, error) {
	raw, _ := f.pool.Get().(*[]byte)
	if raw == nil {
		raw = new(make([]byte, chunkStates*f.width*8))
	}
	defer f.pool.Put(raw)
	b := (*raw)[:len(words)*8]
	if _, err := f.file.ReadAt(b, offset); err != nil {
		return nil, fmt.Errorf("reading a level at offset %d: %w", offset, err)
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words, nil
}

// close removes the file.
func (f *spillFile) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if e := os.Remove(f.file.Name()); err == nil {
		err = e
	}
	f.file = nil
	return err
}
