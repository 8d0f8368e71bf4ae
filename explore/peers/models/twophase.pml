/*
 * Two-phase commit, from TwoPhase.tla of Gray and Lamport ("Consensus on Transaction
 * Commit", 2006), with N resource managers (-DN=8; up to 10).
 *
 * One process that never leaves its loop, so that its program counter adds no states.
 * Sets of resource managers are masks. A resource manager in none of working,
 * committed and aborted is prepared. Messages are never removed, and the Commit and
 * Abort messages have been sent exactly when tm says so.
 */
#ifndef N
#define N 3
#endif

#define ALL ((1 << N) - 1)

#define INIT   0
#define COMMIT 1
#define ABORT  2

unsigned working   : N = ALL;
unsigned committed : N;
unsigned aborted   : N;
unsigned sent      : N; /* resource managers that have sent Prepared */
unsigned received  : N; /* those whose message the transaction manager has */
unsigned tm        : 2;

/* Consistent: no two resource managers decide differently. */
#define CONSISTENT assert(!committed || !aborted)

/* The steps of the resource manager whose bit is b, and of its message. */
#define RM(b) \
	:: d_step { tm == INIT && (sent & b) -> received = received | b } \
	:: d_step { (working & b) -> working = working & ~b; sent = sent | b } \
	:: d_step { (working & b) -> working = working & ~b; aborted = aborted | b; CONSISTENT } \
	:: d_step { tm == COMMIT -> working = working & ~b; aborted = aborted & ~b; committed = committed | b; CONSISTENT } \
	:: d_step { tm == ABORT -> working = working & ~b; committed = committed & ~b; aborted = aborted | b; CONSISTENT }

active proctype protocol() {
	do
	:: d_step { tm == INIT && received == ALL -> tm = COMMIT }
	:: d_step { tm == INIT -> tm = ABORT }
	RM(1)
#if N > 1
	RM(2)
#endif
#if N > 2
	RM(4)
#endif
#if N > 3
	RM(8)
#endif
#if N > 4
	RM(16)
#endif
#if N > 5
	RM(32)
#endif
#if N > 6
	RM(64)
#endif
#if N > 7
	RM(128)
#endif
#if N > 8
	RM(256)
#endif
#if N > 9
	RM(512)
#endif
	od
}
