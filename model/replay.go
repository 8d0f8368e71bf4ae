package model

import (
	"fmt"
	"slices"
	"strings"
)

// This file takes single steps by name, for replaying a behaviour.

// Try takes action a in s. When it is possible, t is the state after it and why is "";
// else t equals s, and why names the guard that refuses it, with the numbers that the
// guard compared.
func (m *Model) Try(s *State, a uint32) (t State, why string) {
	if s.Failed != AssertNone {
		return *s, "the system has aborted: " + s.Failed.String()
	}
	if why := m.absent(s, a); why != "" {
		return *s, why
	}
	t, out := m.attempt(s, a)
	if out&changed != 0 {
		return t, ""
	}
	switch {
	case kindOf(a) == kReset:
		return t, "nothing is in flight between the two replicas"
	case local[kindOf(a)]:
		return t, m.localReason(s, a, out)
	case aboutMessage(a):
		a = droppedBy(a)
	}
	return t, "refused: " + m.reason(s, a, out)
}

// absent is why an action is not even tried: there is no such message or replica.
func (m *Model) absent(s *State, a uint32) string {
	k := kindOf(a)
	if k == kDrop {
		if int(s.Drops) >= m.cfg.Drops {
			return fmt.Sprintf("the budget of lost messages is used up: drops = %d", m.cfg.Drops)
		}
		a = droppedBy(a)
	}
	switch k {
	case kDuplicate:
		if int(s.Duplicates) >= m.cfg.Duplicates {
			return fmt.Sprintf("the budget of repeated deliveries is used up: duplicates = %d", m.cfg.Duplicates)
		}
		a = droppedBy(a)
	case kReset:
		if int(s.Resets) >= m.cfg.Resets {
			return fmt.Sprintf("the budget of broken connections is used up: resets = %d", m.cfg.Resets)
		}
		return ""
	}
	if local[k] {
		switch {
		case s.Replica[selfOf(a)].Status == Stopped:
			return fmt.Sprintf("replica %d has stopped", selfOf(a))
		case m.sentEagerly(k):
			return "no such step: in the reduced model what it sends is in flight as early as it can be"
		}
		return ""
	}
	all := m.messages(s)
	if slices.Contains(all, a) {
		return ""
	}
	to := m.receiver(a)
	why := fmt.Sprintf("no such message is in flight to replica %d", to)
	var others []string
	for _, b := range all {
		if kindOf(b) == kindOf(a) && m.receiver(b) == to {
			others = append(others, m.messageString(b))
		}
	}
	if len(others) > 0 {
		why += "; of its kind there is " + strings.Join(others, "; ")
	}
	return why
}

// localReason is why a local step is not possible.
func (m *Model) localReason(s *State, a uint32, out Outcome) string {
	r, i := &s.Replica[selfOf(a)], selfOf(a)
	is := fmt.Sprintf("replica %d is %s in view %d", i, m.role(s, i), r.View)
	switch k := kindOf(a); {
	case k == kCrashRestart && out == NotEnabled:
		return fmt.Sprintf("crashes = %d, of which %d used, and may_crash = %v", m.cfg.Crashes, s.Crashes, m.cfg.MayCrash)
	case k == kStop && out == NotEnabled:
		return fmt.Sprintf("stops = %d, of which %d used, and may_stop = %v", m.cfg.Stops, s.Stops, m.cfg.MayStop)
	case k == kRequest && out == RefusedBound:
		return fmt.Sprintf("head %d and commit_max %d leave no room: ops = %d, pipeline = %d", r.Op, r.CommitMax, m.cfg.Ops, m.cfg.Pipeline)
	case out == RefusedBound:
		return fmt.Sprintf("%s and view_max = %d", is, m.cfg.ViewMax)
	case out&^changed == RefusedFull:
		return fmt.Sprintf("a channel that it would send into is full: channel = %d", m.cfg.Channel)
	case out == Taken || out == RefusedNothingNew:
		return "all that it would send is in flight already, or nobody can use it"
	}
	return fmt.Sprintf("%s: %s", out, m.standing(s, i))
}

// standing is how a replica stands, in one line.
func (m *Model) standing(s *State, i int) string {
	r := &s.Replica[i]
	out := fmt.Sprintf("replica %d is %s in view %d with head %d, commit_max %d and commit_min %d", i, m.role(s, i), r.View,
		r.Op, r.CommitMax, r.CommitMin)
	if r.SessionTo != 0 {
		out += ", its repair session asks " + sessionString(r)
	}
	return out
}

// Kept is s without what the packed layout of this configuration leaves out because
// nothing reads it. A state that a search returns is of this form.
func (m *Model) Kept(s *State) State {
	packed := make([]uint64, m.Words())
	m.Encode(s, packed)
	var out State
	m.Decode(packed, &out)
	return out
}
