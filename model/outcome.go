package model

// Outcome says what became of a step that was tried: it was taken, or a guard
// refused it. Guards that refuse a message are the ones that the running system has
// (often with a log line of its own), so a trace can say why nothing happens.
type Outcome uint8

// changed marks an outcome that altered the state, whatever else it says: a prepare
// that the gap check drops may still have raised commit_max.
const changed Outcome = 0x80

// The outcomes.
const (
	Taken Outcome = iota
	NotEnabled
	RefusedStatus
	RefusedOldView
	RefusedNewerView
	RefusedApplied
	RefusedDiffers
	RefusedGap
	RefusedNotPrimary
	RefusedNotInPipeline
	RefusedDuplicateAck
	RefusedNoSession
	RefusedOutOfSession
	RefusedHeld
	RefusedStale
	RefusedBound
	RefusedNothingNew
	RefusedDecided
	RefusedIncarnation
	RefusedMalformed
	RefusedClosed
	RefusedOutOfSuffix
	RefusedBehind
	RefusedFull
	outcomes
)

var outcomeNames = [outcomes]string{
	Taken:                "taken",
	NotEnabled:           "not enabled",
	RefusedStatus:        "the replica is not in a status that accepts it",
	RefusedOldView:       "its view is past",
	RefusedNewerView:     "its view is newer than the replica's",
	RefusedApplied:       "the op is already applied (op <= commit_min)",
	RefusedDiffers:       "the journal holds another body at this op",
	RefusedGap:           "out-of-order prepare (gap): op is not head + 1",
	RefusedNotPrimary:    "the replica is not the primary of that view",
	RefusedNotInPipeline: "the op is not in the pipeline",
	RefusedDuplicateAck:  "the op already has this ack, or its quorum",
	RefusedNoSession:     "no repair session is live",
	RefusedOutOfSession:  "the op is outside the repair session's window",
	RefusedHeld:          "the journal already holds the op",
	RefusedStale:         "it would not move the replica forward in its view",
	RefusedBound:         "the bounds of this run end here",
	RefusedNothingNew:    "it has nothing new to say",
	RefusedDecided:       "the view change is already decided or this vote is already counted",
	RefusedIncarnation:   "the replica has restarted, and it answers no probe of this boot",
	RefusedMalformed:     "its commit number is above its head",
	RefusedClosed:        "a quorum of votes is in, and no more are counted",
	RefusedOutOfSuffix:   "the op is above the suffix that the replica adopted",
	RefusedBehind:        "other messages are before it in its channel",
	RefusedFull:          "a channel that it would send into is full",
}

// String is the outcome in words.
func (o Outcome) String() string { return outcomeNames[o&^changed] }

// refused reports whether a guard refused the step.
func (o Outcome) refused() bool { return o&^changed != Taken }
