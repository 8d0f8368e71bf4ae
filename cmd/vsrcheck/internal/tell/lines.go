package tell

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

// LineSource gives the lines of standard input. Its error is io.EOF at the end.
type LineSource interface{ Next() (string, error) }

// plainLines are those of a script, or of a terminal whose output goes elsewhere.
type plainLines struct{ *bufio.Scanner }

func (l plainLines) Next() (string, error) {
	if l.Scan() {
		return l.Text(), nil
	}
	if err := l.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

// ErrCtrlC is the error of a line at which somebody pressed Ctrl-C: while a line is edited
// that is a key, and no signal.
var ErrCtrlC = errors.New("interrupted")

// lineEditor lets a person edit a line, and take earlier ones again with the arrow keys. The
// terminal is its own while a line is read, and as it was in between.
type lineEditor struct {
	*term.Terminal
	keys *keys
	raw  func() (restore func())
}

// newLineEditor edits what comes from a terminal. raw has it pass each key on.
func newLineEditor(in io.Reader, out io.Writer, raw func() (restore func())) *lineEditor {
	k := &keys{Reader: in}
	return &lineEditor{Terminal: term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{k, out}, "> "), keys: k, raw: raw}
}

func (l *lineEditor) Next() (string, error) {
	defer l.raw()()
	line, err := l.ReadLine()
	if err == io.EOF && l.keys.ctrlC {
		err = ErrCtrlC
	}
	return line, err
}

// keys notices Ctrl-C, which to a term.Terminal is the end of the input.
type keys struct {
	io.Reader
	ctrlC bool
}

func (k *keys) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	k.ctrlC = k.ctrlC || bytes.IndexByte(p[:n], 3) >= 0
	return n, err
}

// LinesOf reads standard input. At a terminal, of which the output is one too, lines are edited.
// What is called in the end leaves the terminal as it was.
func LinesOf(in io.Reader, out io.Writer) (lines LineSource, edited bool, done func()) {
	file, isFile := in.(*os.File)
	screen := fileOf(out)
	if !isFile || screen == nil || !term.IsTerminal(int(file.Fd())) || !term.IsTerminal(int(screen.Fd())) || os.Getenv("TERM") == "dumb" {
		return plainLines{bufio.NewScanner(in)}, false, func() {}
	}
	before, err := term.GetState(int(file.Fd()))
	if err != nil {
		return plainLines{bufio.NewScanner(in)}, false, func() {}
	}
	done = func() { _ = term.Restore(int(file.Fd()), before) }
	editor := newLineEditor(file, screen, func() func() {
		if _, err := term.MakeRaw(int(file.Fd())); err != nil {
			return func() {}
		}
		return done
	})
	if width, height, err := term.GetSize(int(screen.Fd())); err == nil && width > 0 {
		_ = editor.SetSize(width, height)
	}
	return editor, true, done
}

// fileOf is the file that an output goes to, or nil.
func fileOf(out io.Writer) *os.File {
	if k, kept := out.(*ErrorKeeper); kept {
		out = k.Writer
	}
	f, _ := out.(*os.File)
	return f
}
