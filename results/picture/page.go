package picture

import (
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// pageFiles are the parts of the page. They need no build step: the scripts are plain
// JavaScript and are put one after the other.
//
//go:embed page
var pageFiles embed.FS

// pageScripts are the scripts of a page in their order.
var pageScripts = []string{"dom.js", "diagram.js", "panels.js", "page.js"}

// WriteHTML writes the diagram as one HTML file that needs nothing else: no network
// and no other file.
func (t *SpaceTime) WriteHTML(out io.Writer) error {
	// Marshal writes <, > and & as escapes, so that no text can end the element that
	// holds the data.
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	title := t.Spec
	if t.Property != "" {
		title += ": " + t.Property
	}
	return writePage(out, title, data, pageScripts, "")
}

// WriteExplorePage writes the page on which a person walks the model. It has the same
// parts and asks the server that it came from for everything else.
func WriteExplorePage(out io.Writer, title string, formats []string) error {
	data, err := json.Marshal(map[string]any{"formats": formats})
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return writePage(out, title, data, append(slices.Clone(pageScripts), "explore.js"), "; connect-src 'self'")
}

// writePage fills the page's frame; policy is what it may do beyond a page in a file.
func writePage(out io.Writer, title string, data []byte, scripts []string, policy string) error {
	var script strings.Builder
	for _, name := range scripts {
		script.WriteString(pagePart(name))
	}
	page := strings.NewReplacer(
		"{{title}}", html.EscapeString(title), "{{style}}", pagePart("page.css"),
		"{{data}}", string(data), "{{policy}}", policy, "{{script}}", script.String(),
	).Replace(pagePart("page.html"))
	if _, err := io.WriteString(out, page); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// pagePart is one of the embedded files.
func pagePart(name string) string {
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return string(text)
}
