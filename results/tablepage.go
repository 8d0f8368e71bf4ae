package results

import (
	"html/template"
	"strings"
)

// tablePage is a page of tables. It needs no script.
func tablePage(name string) *template.Template {
	t := template.Must(template.New(name).Parse(pagePart(name)))
	return template.Must(t.Parse(pagePart("settings.html")))
}

// tableStyle is the style of a page of tables.
func tableStyle() template.CSS {
	return template.CSS(pagePart("page.css") + "\n" + strings.TrimSuffix(pagePart("table.css"), "\n"))
}
