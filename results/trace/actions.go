package trace

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// This file takes the actions out of what people write and programs print. It does not
// know which actions there are: a model reads their names.

// ActionText is the name of an action in a file.
type ActionText struct {
	Text  string // without superfluous spaces
	Place string // the file and the line, or the file and the step
}

// ReadActionsFile reads the actions of a file: of a trace in a format that can be read,
// of a record's first violation, of what a command printed, or of a list, one a line. They
// are told apart by what is in them. Its errors wrap ErrTrace. The variables are those
// of the states, as for [ReadFile].
func ReadActionsFile(path string, variables []Variable) ([]ActionText, error) {
	data, err := readTraceData(path)
	if err != nil {
		return nil, err
	}
	return readActionsOf(data, path, variables)
}

// readActionsOf reads actions from what has been read.
func readActionsOf(data []byte, path string, variables []Variable) ([]ActionText, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return listedActions(string(data), path)
	}
	t, err := readTraceOf(data, path, variables)
	if err != nil {
		return nil, err
	}
	var out []ActionText
	for i, s := range t.Steps[1:] {
		a := ActionText{Text: plainText(s.Action), Place: fmt.Sprintf("%s: step %d", path, i+1)}
		if a.Text == "" {
			return nil, fmt.Errorf("%w: %s: got no name of an action, want one; vsrcheck replay finds the actions of such a trace", ErrTrace, a.Place)
		}
		out = append(out, a)
	}
	return out, nil
}

// A line with an action: its number in the trace, which may be missing, and the action
// itself, a kind and its parameters.
var (
	actionPattern  = regexp.MustCompile(`^\s*(?:(\d+)\s+)?([A-Z][A-Za-z]*\(.*)$`)
	initialPattern = regexp.MustCompile(`^\s*0\s+the initial state$`)
)

// listedActions reads a list of actions: one a line, with or without its number, and
// comments that begin with #. If a line begins with "trace of", the text is what a
// command printed: the actions of that trace are taken, the first if there are several,
// and everything else is passed over.
func listedActions(text, name string) ([]ActionText, error) {
	if n := strings.Count(text, "\n"); n > maxLines {
		return nil, fmt.Errorf("%w: %s: got %d lines, want at most %d", ErrTrace, name, n, maxLines)
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "trace of ") {
			return printedActions(lines[i+1:], i+2, name)
		}
	}
	var out []ActionText
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' || initialPattern.MatchString(text) {
			continue
		}
		place := fmt.Sprintf("%s:%d", name, i+1)
		m := actionPattern.FindStringSubmatch(text)
		if m == nil || !balanced(m[2]) {
			return nil, fmt.Errorf("%w: %s: got %q, want an action such as Request(replica 0)", ErrTrace, place, shortText(text))
		}
		out = append(out, ActionText{plainText(m[2]), place})
	}
	return out, nil
}

// printedActions takes the actions from a printed trace, of which the first line has the
// given number. A long one goes on in the next lines.
func printedActions(lines []string, first int, name string) ([]ActionText, error) {
	var out []ActionText
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "the state after step") || strings.HasPrefix(lines[i], "trace of ") {
			break
		}
		m := actionPattern.FindStringSubmatch(lines[i])
		if m == nil || m[1] != fmt.Sprint(len(out)+1) {
			continue
		}
		text, place := m[2], fmt.Sprintf("%s:%d", name, first+i)
		for !balanced(text) {
			if i++; i == len(lines) || len(text) > maxActionBytes {
				return nil, fmt.Errorf("%w: %s: got %q, which does not end, want the whole action", ErrTrace, place, shortText(plainText(text)))
			}
			text += " " + lines[i]
		}
		out = append(out, ActionText{plainText(text), place})
	}
	return out, nil
}

// balanced reports whether every parenthesis of a text is closed.
func balanced(text string) bool {
	return strings.Count(text, "(") <= strings.Count(text, ")")
}

// plainText is a text without superfluous spaces.
func plainText(text string) string { return strings.Join(strings.Fields(text), " ") }
