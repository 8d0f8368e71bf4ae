// Package results holds what a run leaves behind. Itself it has the [Record] of a run, the way to
// write a file, and the words for numbers and times; the rest is in a folder for each thought:
//
//	trace/    a trace in each of its formats, and how it is read back
//	picture/  the space-time diagram, the graph of all states, and the page that shows them
//	matrix/   what specifications give under other rules, and the cells that are kept meanwhile
//	mend/     which sets of rule changes are enough
//	tlc/      what TLC says, the cross-checks with it, and how long both take
//	table/    the tables of the documents, made from records
//	schema/   the JSON schemas
//	remake/   makes the published records again
//	runs/     the data: records of searches and simulations, and a folder for each other kind
//
// None of them knows the model or the engine. A record must stay readable when both have moved
// on, so it keeps names and numbers and nothing that needs code to be understood.
//
// The published records are runs/<name>.json. A number in any document comes from one of them:
// package table makes the tables, and a test fails when they disagree. Prose quotes a record
// between <!--=NAME:FIELD--> and a closing mark, which `VSRCHECK_UPDATE=1 go test ./results -run
// TestQuoted` fills in; another test looks for numbers of steps and states that nothing ties to a
// record. A record is of a search, or of a simulation.
package results
