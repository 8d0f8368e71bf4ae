package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"

	"vsrcheck/explore/lock"
)

// ErrDiskFull marks what the limit of the disk or the file system left no room for.
var ErrDiskFull = errors.New("no room on the disk")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Disk is the directory in which a run keeps files of words. A search may have very
// many levels, so several files of words share one file of the system, a volume.
type Disk struct {
	dir   string
	limit uint64 // bytes, 0 for none
	used  atomic.Uint64
	peak  atomic.Uint64 // of used
	keep  bool          // files outlive the run
	made  bool          // the directory was made for this run, and goes with it
	lock  *lock.Lock    // of that directory

	// named are the files of parts that the last checkpoint has. One that is removed goes when
	// the next checkpoint has been made.
	named  map[*File]bool
	doomed []*File

	volumes map[string]*volume // by kind: the one being filled
	all     map[string]*volume // by name
	count   int                // volumes made so far
}

// volume is a file of the system. Only the end of it is written to.
type volume struct {
	disk   *Disk
	name   string
	file   *os.File
	size   int64 // bytes of the files of words in it
	live   int   // files of words in it
	synced int64 // bytes that are known to be on the disk

	writer fileWriter
}

// volumeBytes is the size beyond which a volume takes nothing more.
const volumeBytes = 64 << 20

// The kinds of files: what is needed to the end, and what is not.
const (
	levelsKind    = "levels"
	nodesKind     = "nodes"
	partsKind     = "parts" // what a checkpoint in the middle of a level may need
	temporaryKind = "temporary"
)

// volumeName matches the names of volumes.
var volumeName = regexp.MustCompile("^(" + levelsKind + "|" + nodesKind + "|" + partsKind + "|" + temporaryKind + ")-[0-9]{6,}$")

// NewDisk uses dir itself if keep is set, and else a new directory in it, which is made
// when the first file comes.
func NewDisk(dir string, limit uint64, keep bool) (*Disk, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	// A mistake in the name should not show only after an hour.
	if err := usable(dir, keep); err != nil {
		return nil, fmt.Errorf("states on disk: %w", err)
	}
	return &Disk{dir: dir, limit: limit, keep: keep, volumes: map[string]*volume{}, all: map[string]*volume{}}, nil
}

// volume is one of a kind that has room.
func (d *Disk) volume(kind string) (*volume, error) {
	if v := d.volumes[kind]; v != nil && v.size < volumeBytes {
		return v, nil
	}
	if !d.keep && !d.made {
		dir, held, err := ownDir(d.dir)
		if err != nil {
			return nil, fmt.Errorf("states on disk: %w", DiskError(err))
		}
		d.dir, d.made, d.lock = dir, true, held
	}
	v := &volume{disk: d, name: fmt.Sprintf("%s-%06d", kind, d.count)}
	d.count++
	var err error
	// Whatever has the name already is not this run's, and may be a link to elsewhere.
	if v.file, err = os.OpenFile(v.path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, DiskError(err)
	}
	full := d.volumes[kind]
	d.volumes[kind], d.all[v.name] = v, v
	if full != nil {
		return v, full.collect()
	}
	return v, nil
}

func (v *volume) path() string { return filepath.Join(v.disk.dir, v.name) }

// collect removes a volume in which nothing is left. One that is being filled is made
// empty instead.
func (v *volume) collect() error {
	if v.live > 0 {
		return nil
	}
	for _, current := range v.disk.volumes {
		if current == v {
			v.size, v.synced = 0, 0
			return v.file.Truncate(0)
		}
	}
	v.file.Close()
	delete(v.disk.all, v.name)
	return os.Remove(v.path())
}

// Sync sees to it that what is to be kept is on the disk.
func (d *Disk) Sync() error {
	for _, v := range d.all {
		if v.synced < v.size && !v.temporary() {
			if err := v.file.Sync(); err != nil {
				return err
			}
			v.synced = v.size
		}
	}
	return SyncDir(d.dir) // the names of new volumes
}

func (v *volume) temporary() bool { return strings.HasPrefix(v.name, temporaryKind) }

func (v *volume) parts() bool { return strings.HasPrefix(v.name, partsKind) }

// names reports whether the last checkpoint has a file of a part in a volume.
func (d *Disk) names(v *volume) bool {
	for f := range d.named {
		if f.volume == v {
			return true
		}
	}
	return false
}

// Settle says which files of parts the last checkpoint has. What only the one before had is
// removed if it was to be.
func (d *Disk) Settle(parts []*File) error {
	d.named = map[*File]bool{}
	for _, f := range parts {
		d.named[f] = true
	}
	doomed := d.doomed
	d.doomed = nil
	for _, f := range doomed {
		if err := f.remove(); err != nil {
			return err
		}
	}
	return nil
}

// SyncDir makes the names in a directory last. Not every system can.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}

// Bytes is the content of all files.
func (d *Disk) Bytes() uint64 { return d.used.Load() }

// Most is the greatest that bytes has been.
func (d *Disk) Most() uint64 { return d.peak.Load() }

// Made is the number of volumes made so far.
func (d *Disk) Made() int { return d.count }

// ContinueAt makes the next volumes have names that n volumes of an earlier run do not.
func (d *Disk) ContinueAt(n int) { d.count = n }

// SavedFile says where a file of words is, for a run that goes on with it.
type SavedFile struct {
	Volume   string
	Offset   int64
	Sections []uint64
	Sum      uint32
}

// Saved says where a file is.
func (f *File) Saved() SavedFile { return SavedFile{f.volume.name, f.offset, f.sections, f.sum} }

// Reopen opens files that an earlier run has written.
func (d *Disk) Reopen(files []SavedFile) (out []*File, err error) {
	for _, f := range files {
		v := d.all[f.Volume]
		if v == nil {
			if !volumeName.MatchString(f.Volume) || strings.HasPrefix(f.Volume, temporaryKind) {
				return nil, fmt.Errorf("got the volume %q, want one such as %s-000000", f.Volume, levelsKind)
			}
			v = &volume{disk: d, name: f.Volume}
			if v.file, err = OpenRegular(v.path()); err != nil {
				return nil, err
			}
			d.all[v.name] = v
		}
		w := &File{v, f.Offset, f.Sections, f.Sum}
		if err := w.within(); err != nil {
			return nil, err
		}
		v.live++
		v.size = max(v.size, w.offset+int64(w.bytes()))
		v.synced = v.size
		d.peak.Store(d.used.Add(w.bytes()))
		out = append(out, w)
	}
	return out, nil
}

// ForgetOthers removes volumes that an earlier run has left and that nothing refers to.
func (d *Disk) ForgetOthers() error {
	return RemoveVolumes(d.dir, func(name string) bool { return d.all[name] == nil })
}

// Discard removes all volumes, as far as it can: by then they are of no use to anybody,
// and a run does not fail because of them. Nothing may be read afterwards.
func (d *Disk) Discard() {
	for _, v := range d.all {
		v.file.Close()
		os.Remove(v.path())
	}
}

// take counts n bytes that are about to be written, if there is room for them.
func (d *Disk) take(n uint64) error {
	used := d.used.Add(n)
	if d.limit != 0 && used > d.limit {
		d.give(n)
		return fmt.Errorf("%w: %d bytes of %d are used, and %d more are needed", ErrDiskFull, used-n, d.limit, n)
	}
	for peak := d.peak.Load(); used > peak && !d.peak.CompareAndSwap(peak, used); peak = d.peak.Load() {
	}
	return nil
}

func (d *Disk) give(n uint64) { d.used.Add(-n) }

// DiskError is err, as ErrDiskFull if that is what it means.
func DiskError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	}
	return err
}

// Close removes what the run leaves behind.
func (d *Disk) Close() error {
	for _, v := range d.all {
		v.file.Close()
		if d.keep && (v.temporary() || v.parts() && !d.names(v)) {
			os.Remove(v.path())
		}
	}
	if d.made {
		d.made = false
		defer d.lock.Release() // until then nobody else tidies up
		return os.RemoveAll(d.dir)
	}
	return nil
}

// File is a finished file of words in sections.
type File struct {
	volume   *volume
	offset   int64    // in the volume, bytes
	sections []uint64 // words in each
	sum      uint32   // CRC-32C of the content
}

// words is the number of words up to section n.
func (f *File) words(n int) (sum uint64) {
	for _, s := range f.sections[:n] {
		sum += s
	}
	return sum
}

func (f *File) bytes() uint64 { return 8 * f.words(len(f.sections)) }

// fileWriter writes a file of words at the end of a volume. Each volume has one, so only
// one file of a kind can be written at a time.
type fileWriter struct {
	File
	buf *bufio.Writer
	raw []byte
	at  int64 // in the volume
}

// create begins a file.
func (d *Disk) create(kind string, sections int) (*fileWriter, error) {
	v, err := d.volume(kind)
	if err != nil {
		return nil, err
	}
	w := &v.writer
	w.File = File{volume: v, offset: v.size, sections: make([]uint64, sections)}
	w.at = v.size
	if w.buf == nil {
		w.buf = bufio.NewWriterSize(nil, 1<<16)
	}
	w.buf.Reset((*checkedWriter)(w))
	return w, nil
}

// checkedWriter is a fileWriter behind its buffer.
type checkedWriter fileWriter

func (w *checkedWriter) Write(b []byte) (int, error) {
	n, err := w.volume.file.WriteAt(b, w.at)
	w.at += int64(n)
	w.sum = crc32.Update(w.sum, castagnoli, b[:n])
	return n, err
}

// add appends words to a section; sections come in order.
func (w *fileWriter) add(section int, words []uint64) error {
	for len(words) > 0 {
		n := min(len(words), 1<<12)
		w.raw = w.raw[:0]
		for _, x := range words[:n] {
			w.raw = binary.LittleEndian.AppendUint64(w.raw, x)
		}
		words = words[n:]
		if err := w.volume.disk.take(uint64(len(w.raw))); err != nil {
			return err
		}
		w.sections[section] += uint64(n)
		if _, err := w.buf.Write(w.raw); err != nil {
			return DiskError(err)
		}
	}
	return nil
}

// finish completes the file.
func (w *fileWriter) finish() (*File, error) {
	if err := w.buf.Flush(); err != nil {
		w.abandon()
		return nil, DiskError(err)
	}
	w.volume.size += int64(w.bytes())
	w.volume.live++
	f := w.File
	return &f, nil
}

// abandon gives up an unfinished file. The next one overwrites it.
func (w *fileWriter) abandon() { w.volume.disk.give(w.bytes()) }

// remove deletes a file.
func (f *File) remove() error {
	if d := f.volume.disk; d.named[f] {
		d.doomed = append(d.doomed, f)
		return nil
	}
	f.volume.disk.give(f.bytes())
	f.volume.live--
	return f.volume.collect()
}

// verify checks that a file that an earlier run has written has the words that it had.
func (f *File) verify() error {
	what := io.NewSectionReader(f.volume.file, f.offset, int64(f.bytes()))
	crc := crc32.New(castagnoli)
	if n, err := io.Copy(crc, what); err != nil {
		return fmt.Errorf("%s: %w", f.volume.path(), err)
	} else if n != what.Size() {
		return fmt.Errorf("%s ends at byte %d, want %d bytes", f.volume.path(), f.offset+n, f.offset+what.Size())
	}
	if got := crc.Sum32(); got != f.sum {
		return fmt.Errorf("%s is damaged: bytes %d to %d have the checksum %08x, want %08x",
			f.volume.path(), f.offset, f.offset+what.Size(), got, f.sum)
	}
	return nil
}

// each calls use with all words of a section, in order.
func (f *File) each(section int, use func(words []uint64) error) error {
	buf := make([]uint64, 1<<12)
	for r := f.section(section); ; {
		words, err := r.next(buf)
		if err != nil || len(words) == 0 {
			return err
		}
		if err := use(words); err != nil {
			return err
		}
	}
}

// read fills words from a position. Several goroutines may read at once.
func (f *File) read(at uint64, words []uint64, raw *[]byte) error {
	if cap(*raw) < 8*len(words) {
		*raw = make([]byte, 8*len(words))
	}
	b := (*raw)[:8*len(words)]
	if _, err := f.volume.file.ReadAt(b, f.offset+int64(8*at)); err != nil {
		return fmt.Errorf("reading %s at byte %d: %w", f.volume.path(), f.offset+int64(8*at), err)
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return nil
}

// sectionReader reads a section from its start to its end.
type sectionReader struct {
	file     *File
	at, left uint64
	raw      []byte
}

func (f *File) section(n int) *sectionReader {
	return &sectionReader{file: f, at: f.words(n), left: f.sections[n]}
}

// next fills buf with the next words; none are left when it returns none.
func (r *sectionReader) next(buf []uint64) ([]uint64, error) {
	words := buf[:min(uint64(len(buf)), r.left)]
	if len(words) == 0 {
		return nil, nil
	}
	err := r.file.read(r.at, words, &r.raw)
	r.at += uint64(len(words))
	r.left -= uint64(len(words))
	return words, err
}
