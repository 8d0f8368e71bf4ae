package main

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/jobtest"
	"vsrcheck/explore"
	"vsrcheck/results/picture"
)

// recordedDiagram is the diagram of the counterexample that check finds and its record has:
// that of the decisive violation, with every reduction.
func recordedDiagram(t *testing.T, name string) *picture.SpaceTime {
	t.Helper()
	out, err := jobtest.Shipped(t, name, false, job.ReduceAll).Run(context.Background(), explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Violations) == 0 {
		t.Fatalf("%s: got no violation", name)
	}
	return behaviour.DiagramOfViolation(out.Job, &out.Violations[0])
}

// actionsOf are the actions that a diagram shows.
func actionsOf(d *picture.SpaceTime) []string {
	var out []string
	for _, m := range d.Moments[1:] {
		out = append(out, m.Action)
	}
	return out
}

// A picture keeps the actions that it was drawn from in a text chunk of PNG (section
// 11.3.3 of the specification), so that a test can compare them with a record.
const drawnKeyword = "Actions\x00"

// pngHeader is the length of the signature and of the chunk IHDR, which comes first.
const pngHeader = 8 + 12 + 13

// withDrawn puts the actions into a picture.
func withDrawn(picture []byte, actions []string) []byte {
	body := []byte("tEXt" + drawnKeyword + strings.Join(actions, "\n"))
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	chunk = append(chunk, body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
	return slices.Insert(slices.Clone(picture), pngHeader, chunk...)
}

// drawn returns the actions that a picture was drawn from; nil if it does not say.
func drawn(picture []byte) []string {
	if len(picture) < pngHeader {
		return nil
	}
	for rest := picture[8:]; len(rest) >= 12; {
		size := binary.BigEndian.Uint32(rest)
		if uint64(size)+12 > uint64(len(rest)) {
			return nil
		}
		body := string(rest[4 : 8+size])
		if text, found := strings.CutPrefix(body, "tEXt"+drawnKeyword); found {
			return strings.Split(text, "\n")
		}
		rest = rest[12+size:]
	}
	return nil
}
