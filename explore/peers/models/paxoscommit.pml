/*
 * Paxos Commit, from PaxosCommit.tla of Gray and Lamport ("Consensus on Transaction
 * Commit", 2006), with 2 resource managers, 3 acceptors and the ballots 0 and 1.
 *
 * One process that never leaves its loop, so that its program counter adds no states.
 * With two ballots each message has at most one content, so the messages that were
 * sent, which are never removed, are variables. An acceptor's last vote is the last
 * message of phase 2b that it sent. The leader decides once, and not once for each
 * combination of majorities, as in TLC: fewer transitions, to the same states.
 */
#define NONE      0
#define PREPARED  1
#define ABORTED   2
#define COMMITTED 3

/* The instance of Paxos of resource manager r. */
#define INSTANCE(r) \
	unsigned rm##r : 2;    /* NONE: working */ \
	unsigned p1a##r : 1;   /* phase 1a of ballot 1 was sent */ \
	unsigned p2a0##r : 2;  /* phase 2a of ballot 0, its value */ \
	unsigned p2a1##r : 2;  /* and of ballot 1 */ \
	ACCEPTOR(r##0) ACCEPTOR(r##1) ACCEPTOR(r##2)

/* An acceptor in an instance. */
#define ACCEPTOR(ra) \
	unsigned mbal##ra : 1; /* ballot that it takes part in */ \
	unsigned p1b##ra : 2;  /* phase 1b of ballot 1, 1 + the value of its vote */ \
	unsigned p2b0##ra : 2; /* phase 2b of ballot 0, its value */ \
	unsigned p2b1##ra : 2; /* and of ballot 1 */

INSTANCE(0)
INSTANCE(1)
bit commit, abort; /* messages sent */

/* Two of x, y and z are v. */
#define MAJORITY(x, y, z, v) (((x) == v && ((y) == v || (z) == v)) || ((y) == v && (z) == v))

#define CHOSEN(r, v) (MAJORITY(p2b0##r##0, p2b0##r##1, p2b0##r##2, v) || MAJORITY(p2b1##r##0, p2b1##r##1, p2b1##r##2, v))

/* Consistent: no resource manager commits while the other one aborts. */
#define CONSISTENT assert(!(rm0 == COMMITTED && rm1 == ABORTED) && !(rm0 == ABORTED && rm1 == COMMITTED))

/* The leader's phase 2a on hearing from two acceptors. Those that voted did so in
 * ballot 0, and all alike. */
#define PHASE2A(r, x, y) \
	:: d_step { p2a1##r == NONE && x && y -> \
		p2a1##r = ((x == 1 + PREPARED || y == 1 + PREPARED) -> PREPARED : ABORTED) }

#define RM(r) \
	:: d_step { rm##r == NONE -> rm##r = PREPARED; p2a0##r = PREPARED } \
	:: d_step { rm##r == NONE -> rm##r = ABORTED; p2a0##r = ABORTED; CONSISTENT } \
	:: d_step { commit -> rm##r = COMMITTED; CONSISTENT } \
	:: d_step { abort -> rm##r = ABORTED; CONSISTENT } \
	:: d_step { p1a##r = 1 } \
	PHASE2A(r, p1b##r##0, p1b##r##1) \
	PHASE2A(r, p1b##r##0, p1b##r##2) \
	PHASE2A(r, p1b##r##1, p1b##r##2) \
	ACC(r, r##0) ACC(r, r##1) ACC(r, r##2)

#define ACC(r, ra) \
	:: d_step { p1a##r && mbal##ra == 0 -> mbal##ra = 1; p1b##ra = 1 + p2b0##ra } \
	:: d_step { p2a0##r != NONE && mbal##ra == 0 -> p2b0##ra = p2a0##r } \
	:: d_step { p2a1##r != NONE -> mbal##ra = 1; p2b1##ra = p2a1##r }

active proctype protocol() {
	do
	:: d_step { CHOSEN(0, PREPARED) && CHOSEN(1, PREPARED) -> commit = 1 }
	:: d_step { CHOSEN(0, ABORTED) || CHOSEN(1, ABORTED) -> abort = 1 }
	RM(0)
	RM(1)
	od
}
