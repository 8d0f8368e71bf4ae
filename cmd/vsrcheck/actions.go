package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// actionLine is an action as it is printed, and the line it stands in.
type actionLine struct {
	line int
	text string
}

// A line with an action: its number in the trace, which may be missing, and the action
// itself, a kind and its parameters.
var (
	actionPattern  = regexp.MustCompile(`^\s*(?:(\d+)\s+)?([A-Z][A-Za-z]*\(.*)$`)
	initialPattern = regexp.MustCompile(`^\s*0\s+the initial state$`)
)

// parseActions reads a list of actions: one a line, with or without its number, and
// comments that begin with #. If a line begins with "trace of", the text is what a
// command printed: the actions of that trace are taken, the first if there are several,
// and everything else is passed over.
func parseActions(r io.Reader, name string) ([]actionLine, error) {
	var lines []string
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for i, line := range lines {
		if strings.HasPrefix(line, "trace of ") {
			return printedActions(lines[i+1:], i+2, name)
		}
	}
	var out []actionLine
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' || initialPattern.MatchString(text) {
			continue
		}
		m := actionPattern.FindStringSubmatch(text)
		if m == nil || !balanced(m[2]) {
			return nil, usagef("%s:%d: got %q, want an action such as Request(replica 0)", name, i+1, text)
		}
		out = append(out, actionLine{i + 1, plainText(m[2])})
	}
	return out, nil
}

// printedActions takes the actions from a printed trace, of which the first line has the
// given number. A long one goes on in the next lines.
func printedActions(lines []string, first int, name string) ([]actionLine, error) {
	var out []actionLine
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "the state after step") || strings.HasPrefix(lines[i], "trace of ") {
			break
		}
		m := actionPattern.FindStringSubmatch(lines[i])
		if m == nil || m[1] != fmt.Sprint(len(out)+1) {
			continue
		}
		a := actionLine{first + i, m[2]}
		for !balanced(a.text) {
			if i++; i == len(lines) {
				return nil, usagef("%s:%d: got %q, which does not end, want the whole action", name, a.line, plainText(a.text))
			}
			a.text += " " + lines[i]
		}
		a.text = plainText(a.text)
		out = append(out, a)
	}
	return out, nil
}

// balanced reports whether every parenthesis of a text is closed.
func balanced(text string) bool {
	return strings.Count(text, "(") <= strings.Count(text, ")")
}

// plainText is a text without superfluous spaces.
func plainText(text string) string { return strings.Join(strings.Fields(text), " ") }
