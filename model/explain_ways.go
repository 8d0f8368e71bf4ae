package model

import "fmt"

// ways says of a group that nobody leads whether it gets a primary again without a fault,
// and if not, what each replica lacks for that.
func (x *explainer) ways() {
	up := 0
	for i := range x.m.cfg.Replicas {
		if x.s.Replica[i].Status != Stopped {
			up++
		}
	}
	if up < x.m.cfg.ViewChangeQuorum() {
		x.head("%d of %d replicas are up, and it takes %d to elect a primary.", up, x.m.cfg.Replicas, x.m.cfg.ViewChangeQuorum())
		return
	}
	switch seen := x.m.FindWay(x.s, x.led); seen.Way {
	case WayFound:
		x.head("A primary with a quorum can still come without a fault, by a timeout that need not happen.")
	case WayCut:
		x.head("No primary with a quorum comes without a fault within the bounds of this run. Whether one would come with a view above view_max = %d is not known here.", x.m.cfg.ViewMax)
	default:
		if seen.States == 1 {
			x.head("The group is dead: no step but a fault changes anything here, no timeout and no election either.")
		} else {
			x.head("The group is dead: of the %d states that it can get to without a fault, timeouts and elections included, none has a primary with a quorum.", seen.States)
		}
		for i := range x.m.cfg.Replicas {
			if x.s.Replica[i].Status != Stopped {
				x.deadEnd(i)
			}
		}
		x.wouldElect()
	}
}

// led reports whether some Normal primary keeps a quorum.
func (x *explainer) led(s *State) bool { return s.Failed == AssertNone && len(x.m.leaders(s)) > 0 }

// deadEnd says why a replica of a dead group neither joins a view nor begins one.
func (x *explainer) deadEnd(i int) {
	r := &x.s.Replica[i]
	x.item("Replica %d, %s in view %d:", i, r.Status, r.View)
	if _, out := x.m.attempt(x.s, act(kProbe, i, 0, 0)); out&^changed != NotEnabled {
		x.unanswered(i)
	}
	switch {
	case r.Status == Recovering && !x.m.cfg.RecoveringElects:
		x.point("it begins no election: only with recovering_elects = TRUE does a Recovering replica that nobody answers")
	case r.Status == Normal && x.m.leads(x.s, i):
		x.point("it leads its view without a quorum behind it, and a primary begins no election")
	default:
		x.point("an election that it begins gets no quorum")
	}
	if x.m.staysOut(r) {
		x.point("it takes no part in an election of another replica (%s)", x.m.setting(ruleRecoveringVotes).words())
	}
}

// unanswered says what each other replica does with a probe of replica i.
func (x *explainer) unanswered(i int) {
	view := x.s.Replica[i].View
	for j := range x.m.cfg.Replicas {
		if j == i || x.s.Replica[j].Status == Stopped {
			continue
		}
		t := *x.s
		if out := x.m.receiveProbe(&t, j, i, view); out&changed == 0 {
			why := out.String()
			if out == RefusedStatus {
				why = fmt.Sprintf("it is %s, and only a Normal primary answers", x.s.Replica[j].Status)
			}
			x.point("it asks replica %d for a StartView: %s", j, why)
		}
	}
}

// wouldElect says whether Recovering replicas that elect would help.
func (x *explainer) wouldElect() {
	if x.m.cfg.RecoveringElects {
		return
	}
	other := *x.m
	other.cfg.RecoveringElects = true
	t := *x.s
	other.normalise(&t)
	switch other.FindWay(&t, x.led).Way {
	case WayFound:
		x.say("With recovering_elects = TRUE from here on it would get out.")
	case WayNone:
		x.say("With recovering_elects = TRUE from here on it would be dead as well.")
	}
}
