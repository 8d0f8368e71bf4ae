package specs

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is the class of a token.
type tokenKind int

const (
	tokEOF tokenKind = iota
	tokWord
	tokNumber
	tokString
	tokSymbol
)

// position is a place in a file.
type position struct {
	line, col int // from 1; columns count characters
}

// token is one lexical element.
type token struct {
	kind tokenKind
	text string // as written, but a string's contents for tokString
	pos  position
}

// describe says what the token is in an error message.
func (t token) describe() string {
	switch t.kind {
	case tokEOF:
		return "the end of the file"
	case tokString:
		return fmt.Sprintf("the string %q", shorten(t.text))
	case tokNumber:
		return "the number " + shorten(t.text)
	default:
		return fmt.Sprintf("%q", shorten(t.text))
	}
}

// lexer splits a file into tokens. Comments are TLA+'s: from \* to the end of the
// line, and (* ... *), which nest. Where TLC's lexer finds no token it takes the rest of
// the file for empty, in silence; here that is an error with its place.
type lexer struct {
	file string
	text string // what is left
	pos  position
}

// oneLineEnd writes every end of a line as TLC knows it (\n, \r\n or \r) as \n.
func oneLineEnd(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// tokens lexes a whole file. The last token has kind tokEOF.
func tokens(file, text string) ([]token, error) {
	l := &lexer{file: file, text: oneLineEnd(text), pos: position{1, 1}}
	var out []token
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		if t.kind == tokEOF {
			return out, nil
		}
	}
}

func (l *lexer) fail(pos position, format string, args ...any) error {
	return &Error{File: l.file, Line: pos.line, Col: pos.col, Msg: fmt.Sprintf(format, args...), Err: ErrSyntax}
}

// advance moves over the next n bytes, which must end at a character's border.
func (l *lexer) advance(n int) {
	for _, r := range l.text[:n] {
		if r == '\n' {
			l.pos.line++
			l.pos.col = 1
		} else {
			l.pos.col++
		}
	}
	l.text = l.text[n:]
}

// skip moves over white space and comments.
func (l *lexer) skip() error {
	for l.text != "" {
		switch {
		case strings.IndexByte(" \t\n", l.text[0]) >= 0:
			l.advance(1)
		case strings.HasPrefix(l.text, `\*`):
			end := strings.IndexByte(l.text, '\n')
			if end < 0 {
				end = len(l.text)
			}
			l.advance(end)
		case strings.HasPrefix(l.text, "(*"):
			if err := l.skipBlock(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// skipBlock moves over one block comment with those nested in it.
func (l *lexer) skipBlock() error {
	start, depth := l.pos, 0
	for {
		open, shut := strings.Index(l.text, "(*"), strings.Index(l.text, "*)")
		switch {
		case shut < 0:
			return l.fail(start, "got a comment that does not end, want %q", "*)")
		case open >= 0 && open < shut:
			depth++
			l.advance(open + 2)
		default:
			depth--
			l.advance(shut + 2)
		}
		if depth == 0 {
			return nil
		}
	}
}

// next is the next token.
func (l *lexer) next() (token, error) {
	if err := l.skip(); err != nil {
		return token{}, err
	}
	pos := l.pos
	if l.text == "" {
		return token{kind: tokEOF, pos: pos}, nil
	}
	if l.text[0] == '"' {
		return l.quoted()
	}
	if n := wordLength(l.text); n > 0 {
		text := l.text[:n]
		l.advance(n)
		switch {
		case strings.Trim(text, "0123456789") == "":
			return token{kind: tokNumber, text: text, pos: pos}, nil
		case strings.Trim(text, "0123456789_") == "":
			return token{}, l.fail(pos, "got %q, want a number or a name, which has a letter", shorten(text))
		}
		return token{kind: tokWord, text: text, pos: pos}, nil
	}
	for _, symbol := range []string{"<-", "==", "=", "{", "}", ",", "(", ")", "[", "]", "!"} {
		if strings.HasPrefix(l.text, symbol) {
			l.advance(len(symbol))
			return token{kind: tokSymbol, text: symbol, pos: pos}, nil
		}
	}
	r, size := utf8.DecodeRuneInString(l.text)
	switch {
	case r == utf8.RuneError && size == 1:
		return token{}, l.fail(pos, "got a byte 0x%02x that is not UTF-8, want text", l.text[0])
	case r == '-':
		return token{}, l.fail(pos, "got %q, want a number without a sign", r)
	case r == '←':
		return token{}, l.fail(pos, "got %q, want <- in ASCII, as TLC does", r)
	case !unicode.IsPrint(r):
		return token{}, l.fail(pos, "got the character %U, want a keyword, a name or a value", r)
	}
	return token{}, l.fail(pos, "got %q, want a keyword, a name or a value", r)
}

// wordLength is the length of the name or number that text begins with.
func wordLength(text string) int {
	for i := range len(text) {
		c := text[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return i
		}
	}
	return len(text)
}

// quoted is a string, with TLA+'s escapes.
func (l *lexer) quoted() (token, error) {
	start := l.pos
	var out strings.Builder
	for i := 1; i < len(l.text); i++ {
		switch c := l.text[i]; c {
		case '"':
			if text := out.String(); utf8.ValidString(text) {
				l.advance(i + 1)
				return token{kind: tokString, text: text, pos: start}, nil
			}
			return token{}, l.fail(start, "got a string that is not UTF-8, want text")
		case '\n':
			return token{}, l.fail(start, "got a string that does not end on its line, want a closing quote")
		case '\\':
			if i++; i == len(l.text) {
				break
			}
			escapes := map[byte]byte{'"': '"', '\\': '\\', 'n': '\n', 't': '\t', 'r': '\r', 'f': '\f'}
			e, ok := escapes[l.text[i]]
			if !ok {
				return token{}, l.fail(start, `got an unknown escape in a string, want one of \" \\ \n \t \r \f`)
			}
			out.WriteByte(e)
		default:
			out.WriteByte(c)
		}
	}
	return token{}, l.fail(start, "got a string that does not end, want a closing quote")
}
