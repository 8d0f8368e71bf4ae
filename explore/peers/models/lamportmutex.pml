/*
 * The mutual exclusion algorithm of Lamport's "Time, Clocks, and the Ordering of Events
 * in a Distributed System" (1978), from lamport_mutex/LamportMutex.tla, with 3
 * processes and clocks up to 6.
 *
 * One process that never leaves its loop, so that its program counter adds no states.
 * The queues are packed into numbers: channels would make the states larger. A step
 * that leads beyond the greatest clock is not enabled, whereas TLC generates it and
 * does not count its state, so there are fewer transitions.
 */
#define MAXCLOCK 6

/* A message is the clock of a request, or one of these; 0 is none. */
#define ACK 8
#define REL 9

#define PROCESS(p, q, r) \
	unsigned clock##p : 3 = 1; \
	unsigned req##p##p : 3;   /* req with pq: the clock of q's request as far as p knows, 0 for none */ \
	unsigned req##p##q : 3; \
	unsigned req##p##r : 3; \
	unsigned ack##p : 3;      /* set of processes */ \
	unsigned net##p##q : 12;  /* up to three messages from p to q, the oldest in the low bits */ \
	unsigned net##p##r : 12;

PROCESS(0, 1, 2)
PROCESS(1, 0, 2)
PROCESS(2, 0, 1)
unsigned crit : 3; /* set of processes */

/* BoundedNetwork: no queue has more than three messages. */
#define SEND(net, m) assert(net < 256); net = net | ((m) << (net == 0 -> 0 : (net < 16 -> 4 : 8)))

/* Neither q's request precedes p's as p knows them. */
#define FIRST(p, q) (req##p##q == 0 || req##p##p < req##p##q || (req##p##p == req##p##q && p < q))

#define MAX(x, y) (x > y -> x : y)

#define RECEIVE(p, q) \
	:: d_step { (net##q##p & 15) == ACK -> net##q##p = net##q##p >> 4; ack##p = ack##p | (1 << q) } \
	:: d_step { (net##q##p & 15) == REL -> net##q##p = net##q##p >> 4; req##p##q = 0 } \
	:: d_step { net##q##p != 0 && (net##q##p & 15) < ACK && MAX((net##q##p & 15), clock##p) < MAXCLOCK -> \
		req##p##q = net##q##p & 15; \
		net##q##p = net##q##p >> 4; \
		clock##p = MAX(req##p##q, clock##p) + 1; \
		SEND(net##p##q, ACK) }

#define STEPS(p, q, r) \
	:: d_step { req##p##p == 0 -> \
		req##p##p = clock##p; \
		SEND(net##p##q, clock##p); \
		SEND(net##p##r, clock##p); \
		ack##p = 1 << p } \
	:: d_step { ack##p == 7 && FIRST(p, q) && FIRST(p, r) -> \
		crit = crit | (1 << p); \
		assert((crit & (crit - 1)) == 0) /* Mutex */ } \
	:: d_step { (crit & (1 << p)) -> \
		crit = crit & ~(1 << p); \
		SEND(net##p##q, REL); \
		SEND(net##p##r, REL); \
		req##p##p = 0; \
		ack##p = 0 } \
	RECEIVE(p, q) \
	RECEIVE(p, r)

active proctype protocol() {
	do
	STEPS(0, 1, 2)
	STEPS(1, 0, 2)
	STEPS(2, 0, 1)
	od
}
