package picture

import (
	"html/template"
	"strings"
)

// TablePage is a page of tables, of the text of its template. It needs no script.
func TablePage(name, text string) *template.Template {
	t := template.Must(template.New(name).Parse(text))
	return template.Must(t.Parse(pagePart("settings.html")))
}

// TableStyle is the style of a page of tables.
func TableStyle() template.CSS {
	return template.CSS(pagePart("page.css") + "\n" + strings.TrimSuffix(pagePart("table.css"), "\n"))
}
