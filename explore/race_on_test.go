//go:build race

package explore

// raceDetector makes long tests take fewer samples.
const raceDetector = true
