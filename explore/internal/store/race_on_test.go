//go:build race

package store

// raceDetector makes long tests take fewer samples.
const raceDetector = true
