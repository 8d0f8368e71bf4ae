// Package results holds what a run leaves behind: the record of its figures, the
// trace of a violation in several formats, and the tables of published runs in the README.
//
// The package knows neither the model nor the engine. A record must stay readable
// when both have moved on, so it keeps names and numbers and nothing that needs
// code to be understood.
//
// The published records lie beside the code as <name>.json. A number in any document
// comes from one of them: [Tables] makes the README's tables, and a test fails when they
// disagree. Prose quotes a record between <!--=NAME:FIELD--> and a closing mark, which
// `go test ./results -run TestQuoted -update` fills in; another test looks for numbers of
// steps and states that nothing ties to a record. A record is of a search, or of a
// simulation.
//
// A [Trace] is one value for all its [Formats]: the words of the model for people, and the
// states as named variables with values for tools. [ReadTrace] reads the two formats that
// can be replayed, and [ReadActionsFile] the bare actions of those and of printed text. formats.md describes them, schema/ has the JSON schemas, and traces/
// recorded traces that a test replays.
//
// A [Crosscheck] is a run here and one under TLC that have to agree; a [Speed] is how long both
// take.
//
// A [Matrix] is the table of what specifications give under other rules, as text, JSON or
// a page; [FinishedCells] is the file that its cells are kept in while it is made.
//
// A [SpaceTime] is the same behaviour as a picture: lanes, moments and messages. The page
// (in page/), and the drawings for other tools, are made from it; so is a [Graph] of all
// states. pictures.md describes them.
package results
