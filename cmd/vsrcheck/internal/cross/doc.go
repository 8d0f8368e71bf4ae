// Package cross runs specifications here and under TLC, and compares verdicts, counts and sets of
// states (cross.go, tlc.go), or how long both take (speed.go).
package cross
