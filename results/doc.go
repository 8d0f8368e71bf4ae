// Package results holds what a run leaves behind: the record of its figures, the
// trace of a violation as text, and the table of published runs in the README.
//
// The package knows neither the model nor the engine. A record must stay readable
// when both have moved on, so it keeps names and numbers and nothing that needs
// code to be understood.
//
// The published records lie beside the code as <name>.json. A number in any document
// comes from one of them: [Table] makes the README's table, and a test fails when the
// two disagree.
package results
