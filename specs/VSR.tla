-------------------------------- MODULE VSR --------------------------------
(***************************************************************************)
(* Viewstamped Replication as Apache Iggy's partition plane runs it, with  *)
(* memory-only journals and switchable rules: the model of vsrcheck once   *)
(* more, for TLC.                                                          *)
(*                                                                         *)
(* The .cfg files beside this module are the very files that `vsrcheck     *)
(* check' reads, and TLC runs them unchanged:                              *)
(*                                                                         *)
(*     java -cp tla2tools.jar tlc2.TLC -workers 1                          *)
(*          -config tiny-fetch-to-op-old.cfg VSR.tla                       *)
(*                                                                         *)
(* Actions have the names and the granularity of the kinds of steps of     *)
(* vsrcheck (package model), and every number is defined as there, so that *)
(* the two have to find the same number of distinct states, of generated   *)
(* states, the same depth and the same verdict.  `vsrcheck crosscheck'     *)
(* compares them.  The sections quoted are those of Viewstamped            *)
(* Replication Revisited (Liskov and Cowling, 2012).                       *)
(*                                                                         *)
(* HOW AN ACTION IS WRITTEN.  Handlers of the running system do several    *)
(* things in one step: a heartbeat raises a number, walks the journal and  *)
(* opens a repair session.  So effects are functions from a state of the   *)
(* group, the record Now, to another; an action names its guards and then  *)
(* the state that it Becomes.  Become also does the two things that        *)
(* follow every step: the eager sends and the normalisation.  With         *)
(* Reduce = "raw" it does neither, and a step is what its handler does.    *)
(*                                                                         *)
(* WHAT IS NOT HERE.  Of the reductions of vsrcheck this module has the    *)
(* eager sends alone.  It knows nothing of `faults' (model/faults.go),     *)
(* which takes a stop or a loss only where it leaves nothing to do, and    *)
(* of `prompt' (model/prompt.go), which keeps an answer in flight only     *)
(* while it is true; a run of TLC is never one of those.  They are checked *)
(* in Go: a comparison of random systems (model/raw_test.go) asks that     *)
(* raw, unreduced and reduced runs give the same verdict of every          *)
(* property, and that no reduction reaches a state of the replicas that    *)
(* the raw system does not.  So TLC vouches for the raw and for the        *)
(* unreduced system, and the comparison carries that over to the rest.     *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Sequences

(***************************************************************************)
(* Constants: sizes, fault budgets, what a crash takes, and the rules.     *)
(***************************************************************************)
CONSTANTS
  replicas,               \* replicas in the group
  ops,                    \* highest op number that may be prepared
  pipeline,               \* ops that may be prepared above the commit number
  view_max,               \* highest view
  crashes,                \* budget of crashes with a restart
  stops,                  \* budget of replicas that stop for good
  drops,                  \* budget of lost messages
  may_crash,              \* the replicas that may crash and restart
  may_stop,               \* the replicas that may stop for good
  journal_durable,        \* the journal survives a crash
  recovering_elects,      \* a recovering replica that nobody answers elects
  prepare_carries_commit  \* a prepare's header carries a commit number

\* The rules.  Beside each stands where it comes from: the report, or a pull request of
\* Apache Iggy; "found" is by vsrcheck.  `vsrcheck explain NAME' says what the alternatives mean.
CONSTANTS
  fetch_to_op,       \* how far up a repair session asks (the report; #4075, #4074)
  gap_check,         \* which prepares a backup takes at an op that it claims (the report)
  repair_arming,     \* when a tick opens a repair session (#4006, #4008)
  serve_ceiling,     \* how far above its commit number a peer serves repair (#3824, #3987)
  repair_session,    \* how long a repair session lives (source after the report)
  readoption,        \* whether a StartView of the own view is adopted again (source after the report)
  prepare_frontier,  \* how far the head moves when a prepare fills an op (found; #3667 on repair)
  probe_adoption,    \* which StartView a probing replica adopts (found)
  reconcile,         \* which entries survive the adoption of a newer log (found)
  adopted_nacks,     \* what a vote says of an op announced and not held (#3824)
  start_coverage,    \* from which op on a new primary must hold the log (#4073)
  applied_prepare,   \* what becomes of a prepare that is already applied (found; #3585)
  session_end,       \* what ends a repair session whose window is applied (found)
  incarnation,       \* which StartView a restarted replica adopts (found; 4.3)
  repair_frames      \* which repaired prepares a live repair session takes (found)

\* Rules that bring back a known defect that the report's version does not have: the first
\* alternative of each is sound.
CONSTANTS
  nack_quorum,       \* how many nacks discard an op (TigerBeetle 5e51bfcba)
  silent_sender,     \* what a vote that says nothing of an op counts for (#3824)
  canonical_sender,  \* which votes have the log that counts (TigerBeetle c4af21150)
  dvc_commit,        \* which commit number a vote carries (#3512)
  commit_assign,     \* what a StartView does to commit_max (Vanlightly e04048d)
  quorum_latch,      \* until when a new primary counts votes (#3824)
  log_view_time,     \* when a new primary's log view rises (#3824)
  view_durability,   \* whether the view survives a crash (#3767)
  recovering_votes,  \* whether a recovering replica takes part in view changes (#3667, TAPIR #15)
  missed_start_view, \* what a backup does that misses the StartView (#3667)
  coverage,          \* which entries of a new primary count as the merged log (#3824)
  probe_match,       \* which probe of its primary makes a backup elect (#3667)
  merge_log,         \* how a new primary decides the log (#3824)
  reack,             \* what becomes of a prepare that is held and not applied (#3585)
  learned_commit,    \* what a rejoiner makes of the commit number it is told (#3625 to #3667)
  restart_applies,   \* what is applied from a durable journal at a restart (#3625)
  repair_scope,      \* which repaired ops a backup takes (#3824)
  relics,            \* what becomes of entries above an adopted head (#3918)
  repair_frontier,   \* how far the head moves when repair brings an op (#3667)
  self_ack,          \* how a primary counts its own ack (#3585)
  state_transfer_cut \* when a replica that asks for a log drops its own (Vanlightly)

(***************************************************************************)
(* The reduction: three messages say nothing but how their sender stands   *)
(* and may be sent again at any moment.  With "eager" they are in flight   *)
(* from the first moment at which they can be (SendEagerly); with "none"   *)
(* each is a step of its own.  As with vsrcheck, "eager" is the default    *)
(* and `vsrcheck check --reduce none' is the other; a .cfg file that says  *)
(* Reduce = "none" among its CONSTANTS overrides this definition in TLC.   *)
(*                                                                         *)
(* With "raw" there is no normalisation either: dead messages and          *)
(* variables stay (Normalise), as with `vsrcheck check --reduce raw'.      *)
(* What handlers replace or remove by themselves, they do all the same;    *)
(* model/raw.go lists it with the reasons.                                 *)
(***************************************************************************)
Reduce == "eager"

(***************************************************************************)
(* The network, which a .cfg file overrides in the same way: with "set"    *)
(* what is delivered stays in flight; with "consume" it is delivered once, *)
(* effective or refused, but for a budget of duplicates; with "fifo" once  *)
(* and in the order in which its sender sent it to its receiver, as TCP    *)
(* gives it, through a channel that holds so many messages, but for a      *)
(* budget of resets.  A step whose messages do not fit into a channel      *)
(* waits.  model/networks.go and model/fifo.go say what follows from that. *)
(***************************************************************************)
network    == "set"
duplicates == 0
resets     == 0
channel    == 8

ASSUME /\ replicas \in 2..5 /\ ops \in 1..8 /\ pipeline \in 1..8 /\ view_max \in 0..3
       /\ {crashes, stops, drops} \subseteq 0..3
       /\ may_crash \subseteq 0..replicas-1 /\ may_stop \subseteq 0..replicas-1
       /\ {journal_durable, recovering_elects, prepare_carries_commit} \subseteq BOOLEAN
       /\ fetch_to_op \in {"old", "fixed"}
       /\ gap_check \in {"sequencer", "journal", "adopted-hole"}
       /\ repair_arming \in {"committed", "events", "any"}
       /\ serve_ceiling \in {"head", "commit"}
       /\ repair_session \in {"survives", "view"}
       /\ readoption \in {"always", "ahead", "never"}
       /\ prepare_frontier \in {"op", "contiguous"}
       /\ probe_adoption \in {"any", "observed"}
       /\ reconcile \in {"announced", "proven"}
       /\ adopted_nacks \in {"nacked", "abstains"}
       /\ start_coverage \in {"merged", "applied"}
       /\ applied_prepare \in {"dropped", "acked"}
       /\ session_end \in {"reply", "tick"}
       /\ incarnation \in {"inert", "checked"}
       /\ repair_frames \in {"any", "session"}
       /\ nack_quorum \in {"full", "short"}
       /\ silent_sender \in {"abstains", "nacks"}
       /\ canonical_sender \in {"log_view", "last_prepare"}
       /\ dvc_commit \in {"clamped", "unclamped"}
       /\ commit_assign \in {"raised", "assigned"}
       /\ quorum_latch \in {"decided", "quorum"}
       /\ log_view_time \in {"started", "decided"}
       /\ view_durability \in {"kept", "lost"}
       /\ recovering_votes \in {"invisible", "votes"}
       /\ missed_start_view \in {"probes", "waits"}
       /\ coverage \in {"identity", "number"}
       /\ probe_match \in {"stamped", "any"}
       /\ merge_log \in {"suffix", "op_number"}
       /\ reack \in {"acked", "dropped"}
       /\ learned_commit \in {"walked", "jumped"}
       /\ restart_applies \in {"none", "carried", "journaled"}
       /\ repair_scope \in {"session", "suffix"}
       /\ relics \in {"swept", "stay"}
       /\ repair_frontier \in {"contiguous", "op"}
       /\ self_ack \in {"prepared", "once", "tick"}
       /\ state_transfer_cut \in {"answered", "asked"}
       /\ Reduce \in {"eager", "none", "raw"}
       /\ Reduce = "raw" => /\ network # "fifo"  \* see RawRefused in model/raw.go
                           /\ ~(view_durability = "lost" /\ crashes > 0 /\ view_max > 0)
       /\ network \in {"set", "consume", "fifo"}
       /\ {duplicates, resets} \subseteq 0..3 /\ channel \in 1..8
       /\ duplicates > 0 => network = "consume"
       /\ resets > 0 => network = "fifo"
       /\ network = "fifo" => drops = 0 /\ view_durability = "kept"

(***************************************************************************)
(* Sets and small functions.                                               *)
(***************************************************************************)
Replicas == 0..replicas-1
Views    == 0..view_max
Ops      == 1..ops
OpsOr0   == 0..ops

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
MaxOf(S)  == CHOOSE a \in S : \A b \in S : a >= b
MinOf(S)  == CHOOSE a \in S : \A b \in S : a <= b

Primary(view) == view % replicas

\* Replicas that must hold an op before it is committed; votes that decide a view;
\* nacks that prove that an op never was committed; replicas that may fail (4.).
ReplicationQuorum == IF replicas = 2 THEN 2 ELSE (replicas + 1) \div 2
ViewChangeQuorum  == IF replicas = 2 THEN 2 ELSE replicas - ReplicationQuorum + 1
NackQuorum        == replicas - ReplicationQuorum + IF nack_quorum = "short" THEN 0 ELSE 1
MaxFaulty         == (replicas - 1) \div 2

\* The identity of the body of a prepare is the view that first prepared it: a
\* primary prepares at most one body per op in a view.  None is no body.
None       == -1
Identities == Views \cup {None}
NoLog      == [op \in Ops |-> None]
NoAcks     == [op \in Ops |-> {}]

\* What a vote says of an op: nothing, a proof that its sender never prepared it, or
\* a header, with or without the body to it.
Item    == [says : {"nothing", "nack"}, id : {None}] \cup [says : {"header", "body"}, id : Views]
Nothing == [says |-> "nothing", id |-> None]
Nack    == [says |-> "nack", id |-> None]

(***************************************************************************)
(* Messages.  Those of the first group are few enough to be listed; the    *)
(* last two carry a log.                                                   *)
(***************************************************************************)
Prepare         == UNION {[type : {"Prepare"}, to : Replicas, view : {v}, op : Ops, id : 0..v] : v \in Views}
PrepareOk       == UNION {[type : {"PrepareOk"}, from : Replicas, view : {v}, op : Ops, id : 0..v] : v \in Views}
Commit          == [type : {"Commit"}, to : Replicas, view : Views, commit : OpsOr0]
StartViewChange == [type : {"StartViewChange"}, to : Replicas, view : Views, from : Replicas]
\* RequestStartView.
ProbeMessage    == [type : {"Probe"}, to : Replicas, view : Views, from : Replicas]
\* A StartView without suffix: what a settled primary answers.
Answer          == UNION {[type : {"Answer"}, to : Replicas, view : Views, op : {n}, commit : 0..n] : n \in OpsOr0}
RequestPrepares == UNION {[type : {"RequestPrepares"}, to : Replicas, from : Replicas, low : 1..n, high : {n}] : n \in Ops}
RepairPrepare   == [type : {"RepairPrepare"}, to : Replicas, op : Ops, id : Views]
RepairDone      == [type : {"RepairDone"}, to : Replicas]
\* A vote.  items are for the ops from its commit number (at least 1) to its head op.
DoViewChange    == [type : {"DoViewChange"}, view : Views, from : Replicas, log_view : Views,
                    op : OpsOr0, commit : OpsOr0, items : [Ops -> Item]]
\* The announcement that concludes a view change, with its suffix in log: the ops from
\* commit (at least 1) to op.
StartView       == [type : {"StartView"}, to : Replicas, view : Views, op : OpsOr0, commit : OpsOr0,
                    log : [Ops -> Identities]]

Message == Prepare \cup PrepareOk \cup Commit \cup StartViewChange \cup ProbeMessage \cup Answer
           \cup RequestPrepares \cup RepairPrepare \cup RepairDone

(***************************************************************************)
(* Variables.                                                              *)
(***************************************************************************)
VARIABLES
  replica,       \* the state of each replica, see Replica below
  messages,      \* the messages that were sent and are not lost or dead; delivery leaves them there
  counted,       \* the votes that the primary of a view change has received
  stamp,         \* stamp[v][op]: the commit number in the header that view v gave to op
  channels,      \* channels[i][j]: under "fifo", those from i to j in the order in which they were sent
  crashes_used, stops_used, drops_used, duplicates_used, resets_used,  \* how much of each budget is used
  decided,       \* ghost: the body first committed or applied at each op
  decided_in,    \* ghost: the view of the replica that decided it (from three views on)
  lost,          \* ghost: who ever lost the journal or stopped (from two views on, and with "raw")
  failed         \* ghost: the first condition that the running system asserts and that was false

vars == <<replica, messages, counted, stamp, channels, crashes_used, stops_used, drops_used,
          duplicates_used, resets_used, decided, decided_in, lost, failed>>

\* The state of one replica.
Replica == [
  status       : {"Normal", "ViewChange", "Recovering", "Stopped"},
  view         : Views,       \* current view; survives a crash (superblock)
  log_view     : Views,       \* latest view whose log it adopted; survives a crash
  observed     : Views,       \* a newer view seen in traffic that it could not process, or 0
  op           : OpsOr0,      \* the sequencer: the head op that it claims
  commit_max   : OpsOr0,      \* highest op that it knows to be committed by the group
  commit_min   : OpsOr0,      \* highest op that it has applied itself
  journal      : [Ops -> Identities],      \* the bodies that it holds
  headers_op   : OpsOr0,                   \* the head of the adopted headers, 0: none
  headers      : [Ops -> Identities],      \* identities without bodies, from a StartView's suffix
  announced_op : OpsOr0,                   \* the head of the last StartView, until that is applied
  session_to   : OpsOr0,                   \* the repair session asks up to this op, 0: no session
  session_peer : Replicas,                 \* whom it asks; 0 without a session
  acks         : [Ops -> SUBSET Replicas], \* at the primary: the pipeline, who acked each op
  votes        : SUBSET Replicas,          \* StartViewChange senders of this view, itself too
  vote_sent    : BOOLEAN,                  \* its DoViewChange of this view was sent
  parked       : BOOLEAN,                  \* it has decided the log of the view that it leads,
  merged_op    : OpsOr0,                   \* and waits until its journal covers
  merged_commit: OpsOr0,                   \* the ops from here
  merged       : [Ops -> Identities]]      \* of that log

Blank == [status |-> "Normal", view |-> 0, log_view |-> 0, observed |-> 0,
          op |-> 0, commit_max |-> 0, commit_min |-> 0, journal |-> NoLog,
          headers_op |-> 0, headers |-> NoLog, announced_op |-> 0,
          session_to |-> 0, session_peer |-> 0, acks |-> NoAcks,
          votes |-> {}, vote_sent |-> FALSE,
          parked |-> FALSE, merged_op |-> 0, merged_commit |-> 0, merged |-> NoLog]

\* What is in a channel.
InChannel(i, j) == {channels[i][j][k] : k \in 1..Len(channels[i][j])}

\* Every variable is of its type, and the order of numbers within a replica holds.
TypeOK ==
  /\ replica \in [Replicas -> Replica]
  /\ \A m \in messages : CASE m.type = "DoViewChange" -> m \in DoViewChange
                           [] m.type = "StartView"    -> m \in StartView
                           [] OTHER                   -> m \in Message
  /\ \A m \in counted : m \in DoViewChange
  /\ stamp \in [Views -> [Ops -> OpsOr0]]
  /\ crashes_used \in 0..crashes /\ stops_used \in 0..stops /\ drops_used \in 0..drops
  /\ duplicates_used \in 0..duplicates /\ resets_used \in 0..resets
  \* Under "fifo" each message in flight is in the one channel to its receiver that it was sent into.
  /\ \A i, j \in Replicas : Len(channels[i][j]) <= channel
  /\ network = "fifo" => messages = UNION {InChannel(i, j) : i, j \in Replicas}
  /\ decided \in [Ops -> Identities]
  /\ decided_in \in [Ops -> Views]
  /\ lost \subseteq Replicas
  /\ failed \in {"no", "prepare above the sequencer", "commit out of sequence"}
  /\ \A i \in Replicas : LET r == replica[i] IN
       r.log_view <= r.view /\ r.commit_min <= r.commit_max

Init ==
  /\ replica = [i \in Replicas |-> Blank]
  /\ messages = {} /\ counted = {}
  /\ stamp = [v \in Views |-> [op \in Ops |-> 0]]
  /\ channels = [i \in Replicas |-> [j \in Replicas |-> <<>>]]
  /\ crashes_used = 0 /\ stops_used = 0 /\ drops_used = 0 /\ duplicates_used = 0 /\ resets_used = 0
  /\ decided = NoLog /\ decided_in = [op \in Ops |-> 0] /\ lost = {} /\ failed = "no"

Now == [replica |-> replica, messages |-> messages, counted |-> counted, stamp |-> stamp,
        crashes_used |-> crashes_used, stops_used |-> stops_used, drops_used |-> drops_used,
        duplicates_used |-> duplicates_used, resets_used |-> resets_used,
        decided |-> decided, decided_in |-> decided_in, lost |-> lost, failed |-> failed]

(***************************************************************************)
(* Parts of handlers.  t is the state so far, i the replica.               *)
(***************************************************************************)
Leads(t, i) == Primary(t.replica[i].view) = i
Live(i)     == replica[i].status # "Stopped"

Send(t, S) == [t EXCEPT !.messages = @ \cup S]

\* To the next replica on the ring, which ends before the primary of the view.
Forward(t, i, view, op, id) ==
  LET next == (i + 1) % replicas IN
  IF next = Primary(view) THEN t
  ELSE Send(t, {[type |-> "Prepare", to |-> next, view |-> view, op |-> op, id |-> id]})

\* A PrepareOk for some ops that the replica holds, to the primary of its view.
Ack(t, i, S) ==
  LET r == t.replica[i] IN
  IF Leads(t, i) THEN t
  ELSE Send(t, {[type |-> "PrepareOk", from |-> i, view |-> r.view, op |-> op, id |-> r.journal[op]] : op \in S})

HasQuorum(r, op) == Cardinality(r.acks[op]) >= ReplicationQuorum

\* Whether a primary waits for acks of an op.  Its own is the first, unless that is a message
\* of its own (self_ack).
InPipeline(r, op) == IF self_ack = "prepared" THEN r.acks[op] # {} ELSE op \in r.commit_max + 1..r.op

\* The primary's message to itself, under that rule.
SelfAck(t, i, S) ==
  LET r == t.replica[i] IN
  Send(t, {[type |-> "PrepareOk", from |-> i, view |-> r.view, op |-> op, id |-> r.journal[op]] : op \in S})

\* The end of the unbroken run of ops from `from' on, at most to `to', that the journal
\* holds; from - 1 when it lacks the first.
RunEnd(journal, from, to) ==
  LET missing == {op \in from..to : journal[op] = None} IN
  IF missing = {} THEN Max(to, from - 1) ELSE MinOf(missing) - 1

\* The head moves along the contiguous journal above it, never over a hole: a vote
\* advertises the head.
AdvanceHead(r) == [r EXCEPT !.op = RunEnd(r.journal, r.op + 1, ops)]

\* Ghost: the group has committed or applied these ops.
Decide(t, i, S) ==
  LET r     == t.replica[i]
      first == {op \in S : t.decided[op] = None}
  IN [t EXCEPT !.decided    = [op \in Ops |-> IF op \in first THEN r.journal[op] ELSE t.decided[op]],
               !.decided_in = [op \in Ops |-> IF op \in first /\ view_max > 1 THEN r.view ELSE t.decided_in[op]]]

\* The replica applies the ops up to n.
ApplyTo(t, i, n) ==
  Decide([t EXCEPT !.replica[i].commit_min = n], i, t.replica[i].commit_min + 1..n)

\* Apply committed ops while the journal holds the next one; never skip a hole.
WalkJournal(t, i) ==
  LET r == t.replica[i] IN ApplyTo(t, i, RunEnd(r.journal, r.commit_min + 1, r.commit_max))

\* Apply the committed prefix of the primary's pipeline; when nothing of it is
\* committed, walk the journal instead.  The running system asserts that the ops it
\* takes out of the pipeline follow the last one applied.
Drain(t, i) ==
  LET r    == t.replica[i]
      out  == {op \in 1..r.commit_max : r.acks[op] # {}}
      bad  == {op \in out : op # r.commit_min + 1 + Cardinality({o \in out : o < op})}
      last == IF bad = {} THEN r.commit_max ELSE MinOf(bad)
      gone == [t EXCEPT !.replica[i].acks = [op \in Ops |-> IF op <= last THEN {} ELSE r.acks[op]]]
  IN IF out = {} THEN WalkJournal(t, i)
     ELSE IF bad = {} THEN ApplyTo(gone, i, r.commit_min + Cardinality(out))
     ELSE [ApplyTo(gone, i, r.commit_min + Cardinality({o \in out : o < last}))
            EXCEPT !.failed = "commit out of sequence"]

\* Whether some op above the commit number that the replica claims is not held.
MissingSuffix(r) == \E op \in r.commit_max + 1..r.op : r.journal[op] = None

\* The last op that a new repair session asks for, or 0 when there is nothing to
\* repair.  This is the rule that the report is about.
FetchToOp(r) ==
  LET lag     == r.commit_min < r.commit_max
      missing == MissingSuffix(r)
  IN IF ~lag /\ ~missing THEN 0
     ELSE IF lag /\ (fetch_to_op = "old" \/ ~missing) THEN r.commit_max
     ELSE r.op

\* The request of the live session for what is not applied yet.
AskRepair(t, i) ==
  LET r == t.replica[i] IN
  IF r.commit_min + 1 > r.session_to THEN t
  ELSE Send(t, {[type |-> "RequestPrepares", to |-> r.session_peer, from |-> i,
                 low |-> r.commit_min + 1, high |-> r.session_to]})

\* Open a repair session with a peer: only when Normal, with none live and something to
\* repair.
OpenRepair(t, i, peer) ==
  LET r  == t.replica[i]
      to == FetchToOp(r)
  IN IF r.status # "Normal" \/ r.session_to # 0 \/ peer = i \/ to = 0 THEN t
     ELSE AskRepair([t EXCEPT !.replica[i].session_to = to, !.replica[i].session_peer = peer], i)

\* A RepairDone of an earlier session is ignored, and so not kept.  Under repair_frames =
\* session so are its frames, and what is still to be served of its request.
CloseSession(t, i) ==
  LET over(m) == \/ m.type = "RepairDone" /\ m.to = i
                 \/ /\ repair_frames = "session"
                    /\ \/ m.type = "RepairPrepare" /\ m.to = i
                       \/ m.type = "RequestPrepares" /\ m.from = i
  IN [t EXCEPT !.replica[i].session_to = 0, !.replica[i].session_peer = 0,
               !.messages = {m \in @ : ~over(m)}]

\* What belongs to the view that the replica leaves or adopts anew.
LeaveView(t, i) == IF repair_session = "view" THEN CloseSession(t, i) ELSE t

\* What a view change collects.
ResetViewChange(r) ==
  [r EXCEPT !.acks = NoAcks, !.votes = {}, !.vote_sent = FALSE,
            !.parked = FALSE, !.merged_op = 0, !.merged_commit = 0, !.merged = NoLog]

ClearHeaders(r) == [r EXCEPT !.headers_op = 0, !.headers = NoLog]

SendStartViewChange(t, i) ==
  Send(t, {[type |-> "StartViewChange", to |-> j, view |-> t.replica[i].view, from |-> i] : j \in Replicas \ {i}})

\* Leave the view for a higher one, count the own vote and tell everybody (4.2).
EnterViewChange(t, i, view) ==
  SendStartViewChange(
    [LeaveView(t, i) EXCEPT
       !.replica[i] = [ResetViewChange(@) EXCEPT !.view = view, !.status = "ViewChange", !.votes = {i}]], i)

\* Change the view on one's own account.  The headers of the adopted log are gone before
\* the vote is built.
StartElection(t, i) ==
  EnterViewChange([t EXCEPT !.replica[i] = ClearHeaders(@)], i, t.replica[i].view + 1)

\* Traffic of a newer view, which the replica cannot process.
Observe(t, i, view) == [t EXCEPT !.replica[i].observed = Max(@, view)]

AnswerTo(t, i, S) ==
  LET r == t.replica[i] IN
  Send(t, {[type |-> "Answer", to |-> j, view |-> r.view, op |-> r.op, commit |-> Min(r.commit_max, r.op)] : j \in S})

SendHeartbeat(t, i) ==
  LET r == t.replica[i] IN
  Send(t, {[type |-> "Commit", to |-> j, view |-> r.view, commit |-> r.commit_min] : j \in Replicas \ {i}})

MayHeartbeat(t, i) ==
  LET r == t.replica[i] IN r.status = "Normal" /\ Leads(t, i) /\ r.observed <= r.view

\* Under state_transfer_cut = "asked" the asker drops what it has above its commit number.
SendProbe(t, i) ==
  LET r == t.replica[i]
      cut == [r EXCEPT !.op = Min(@, r.commit_max),
                       !.journal = [op \in Ops |-> IF op > r.commit_max THEN None ELSE r.journal[op]]]
  IN Send(IF state_transfer_cut = "asked" THEN [t EXCEPT !.replica[i] = cut] ELSE t,
          {[type |-> "Probe", to |-> j, view |-> r.view, from |-> i] : j \in Replicas \ {i}})

MayProbe(t, i) ==
  LET r == t.replica[i] IN r.status = "Recovering" \/ (r.status = "ViewChange" /\ ~Leads(t, i) /\ missed_start_view = "probes")

(***************************************************************************)
(* Eager sends.  Heartbeats and probes are in flight from the moment they  *)
(* can be, where nobody's behaviour can tell; and a primary has answered   *)
(* every probe as it stands.  What this keeps is argued in model/eager.go, *)
(* for the network "set".                                                  *)
(***************************************************************************)
\* Whether the state graph has cycles beside the steps that change nothing.
Cycles          == \/ network # "set" \/ readoption = "always" \/ commit_assign = "assigned"
                   \/ state_transfer_cut = "asked" \/ (probe_adoption = "any" /\ view_max > 0)

\* Whether each rule has an alternative that no property is known to break because of.
\* probe_adoption is left out: Cycles says where it matters.
AllSound        ==
  /\ fetch_to_op = "fixed" /\ repair_arming # "events" /\ serve_ceiling = "head" /\ repair_session = "view"
  /\ readoption # "always" /\ prepare_frontier = "contiguous" /\ reconcile = "proven" /\ adopted_nacks = "abstains"
  /\ start_coverage = "applied" /\ applied_prepare = "acked" /\ session_end = "tick" /\ incarnation = "checked"
  /\ repair_frames = "session" /\ nack_quorum = "full" /\ silent_sender = "abstains" /\ canonical_sender = "log_view"
  /\ dvc_commit = "clamped" /\ commit_assign = "raised" /\ quorum_latch = "decided" /\ log_view_time = "started"
  /\ view_durability = "kept" /\ recovering_votes = "invisible" /\ missed_start_view = "probes"
  /\ coverage = "identity" /\ probe_match = "stamped" /\ merge_log = "suffix" /\ reack = "acked"
  /\ learned_commit = "walked" /\ restart_applies # "journaled" /\ repair_scope = "session" /\ relics = "swept"
  /\ repair_frontier = "contiguous" /\ self_ack # "once" /\ state_transfer_cut = "answered"

\* Whether an old heartbeat or an old probe makes no difference to a replica that does not ask.
OldDoNoHarm     == readoption = "never" /\ probe_match = "stamped" /\ missed_start_view = "probes"
                     /\ view_durability = "kept" /\ ~Cycles

\* Whether a probe that is lost before it is answered may matter.
LostProbesMatter == drops > 0 /\ (crashes > 0 \/ view_max > 0) /\ ~OldDoNoHarm /\ ~AllSound

EagerHeartbeats == Reduce = "eager" /\ (OldDoNoHarm \/ (network = "set" /\ view_max = 0))
EagerProbes     == Reduce = "eager" /\ OldDoNoHarm /\ state_transfer_cut # "asked"
EagerAnswers    == Reduce = "eager" /\ network = "set" /\ readoption # "always" /\ view_durability = "kept"
                     /\ ~LostProbesMatter

SendEagerly(t) ==
  LET beats  == IF EagerHeartbeats THEN {i \in Replicas : MayHeartbeat(t, i)} ELSE {}
      probes == IF EagerProbes THEN {i \in Replicas : MayProbe(t, i)} ELSE {}
      u == [t EXCEPT !.messages = @
              \cup UNION {SendHeartbeat(t, i).messages : i \in beats}
              \cup UNION {SendProbe(t, i).messages : i \in probes}]
      settled == IF EagerAnswers
                 THEN {i \in Replicas : LET r == u.replica[i] IN
                         r.status = "Normal" /\ Leads(u, i) /\ r.log_view = r.view}
                 ELSE {}
      asking(i) == {m.from : m \in {n \in u.messages : n.type = "Probe" /\ n.to = i}}
  IN IF Reduce # "eager" THEN t
     ELSE [u EXCEPT !.messages = @ \cup UNION {AnswerTo(u, i, asking(i)).messages : i \in settled}]

(***************************************************************************)
(* Normalisation.  A message that no guard can let pass in any future is   *)
(* dead, and so is a variable that no guard will read again.  Removing     *)
(* them merges states that differ in nothing else.  The arguments rest on  *)
(* what never goes back: a view number, the stopped status, and the commit *)
(* numbers of a replica that cannot crash any more (model/normalise.go).   *)
(***************************************************************************)
\* Whether a replica may still lose its volatile state.
MayForget(t, i) == t.crashes_used < crashes /\ i \in may_crash

\* The op up to which it has applied for good.
Floor(t, i) == IF MayForget(t, i) THEN 0 ELSE t.replica[i].commit_min

\* The same, if it can still act after that on what was sent to it before (incarnation).
MayForgetBoot(t, i) == MayForget(t, i) /\ incarnation = "inert"

\* Whether a replica has restarted and not rejoined.  One that is Recovering because it has
\* seen a newer view has lost nothing.
Restarted(r) == r.status = "Recovering" /\ r.observed <= r.view

\* Whether a replica that leaves its view by itself, or by a restart, has no use for what was
\* sent to it in that view.
RefusesPast == incarnation = "checked" /\ probe_adoption = "observed"

\* Whether an answer with this head can still be acted on; forgets says whether a loss of
\* memory may come before.  A replica that stays Normal in the last view keeps refusing what
\* it refuses now.
AnswerAlive(t, i, view, op, forgets) ==
  LET r == t.replica[i] IN
  /\ view >= r.view
  /\ ~forgets =>
       /\ view = r.log_view => op >= r.commit_min
       \* One that may come to a view change adopts there what it refused as Recovering.
       /\ ~(/\ RefusesPast /\ r.status = "Recovering" /\ view < r.observed
            /\ ~recovering_elects /\ recovering_votes = "invisible")
       /\ (view = r.view /\ r.status = "Normal" /\ (view = view_max \/ RefusesPast)) =>
            CASE readoption = "ahead" -> op > r.op
              [] readoption = "never" -> FALSE
              [] OTHER                -> TRUE

\* Whether an answer of replica i to replica j could be acted on, now or later.
MayAdopt(t, i, j, forgets) ==
  \E v \in Max(t.replica[i].view, t.replica[j].view)..view_max :
     Primary(v) = i /\ \E op \in OpsOr0 : AnswerAlive(t, j, v, op, forgets)

\* Whether a replica that has restarted may come to take part in a view below this one.
MayRejoinBelow(t, i, view) ==
  LET r == t.replica[i] IN
  \/ view > r.view /\ (recovering_elects \/ recovering_votes = "votes" \/ Leads(t, i))
  \/ \E v \in r.view..view - 1 :
       LET p == t.replica[Primary(v)] IN
       \/ \E m \in t.messages : m.type = "Answer" /\ m.to = i /\ m.view = v
       \/ p.status # "Stopped" /\ (p.view < v \/ (p.view = v /\ p.status # "Recovering"))

\* Whether the StartView with a suffix that a view began with can still be acted on.
StartViewAlive(t, i, view, op) ==
  LET r == t.replica[i] IN
  /\ AnswerAlive(t, i, view, op, MayForget(t, i))
  /\ (incarnation = "checked" /\ readoption # "always") =>
       \* No answer that brings it back after a restart has a lower head.
       /\ ~(view = r.view /\ r.status = "Normal" /\ (view = view_max \/ RefusesPast))
       /\ Restarted(r) => MayRejoinBelow(t, i, view)

\* Whether it can be the Normal primary of some view from its own on.
MayLead(t, i) ==
  LET r == t.replica[i] IN
  \E v \in r.view..view_max : Primary(v) = i /\ (v > r.view \/ r.status # "Recovering")

\* Whether it may lead a view and announce that to somebody who can act on it.
MayAnnounce(t, i) ==
  /\ MayLead(t, i)
  /\ \E j \in Replicas \ {i} : t.replica[j].status # "Stopped" /\ MayAdopt(t, i, j, MayForget(t, j))

\* The commit number below which a replica will never be again while it takes part in
\* its view: after a crash it rejoins by a StartView of it, one in flight or one yet to
\* be given, whose commit number is at least that of any heartbeat sent before.  (Only the
\* latter under incarnation = checked.)
CommitFloor(t, i) ==
  LET r == t.replica[i] IN
  IF ~MayForgetBoot(t, i) /\ commit_assign = "raised" THEN r.commit_max
  ELSE MinOf({r.commit_max} \cup
             {m.commit : m \in {n \in t.messages : n.type \in {"StartView", "Answer"} /\ n.to = i /\ n.view = r.view}})

AckAlive(t, i, view, op, id) ==  \* whether an ack by replica i can still count
  LET p == t.replica[Primary(view)] IN
  IF p.status = "Stopped" \/ p.view > view THEN FALSE
  ELSE IF p.view < view THEN TRUE
  ELSE IF p.status = "Recovering" THEN FALSE  \* it will not lead this view again
  ELSE IF p.status = "ViewChange" THEN TRUE
  ELSE IF op > p.op /\ view_durability = "lost" THEN TRUE  \* it may prepare the op in this view once more
  ELSE /\ op > p.commit_max /\ InPipeline(p, op) /\ p.journal[op] = id
       /\ i \notin p.acks[op] /\ ~HasQuorum(p, op)

\* Whether a heartbeat can still raise the receiver's commit number, or tell it of a
\* newer view.
CommitAlive(t, m) ==
  LET r == t.replica[m.to] IN
  m.view > r.view \/ (m.view = r.view /\ ~Leads(t, m.to) /\ m.commit > CommitFloor(t, m.to))

\* The op up to which it has no use for a repair frame: a loss of memory ends the session.
RepairFloor(t, i) == IF repair_frames = "session" THEN t.replica[i].commit_min ELSE Floor(t, i)

\* Whether a replica holds an op for as long as its repair session, and so its frames, live.
Keeps(t, i, op) == repair_frames = "session" /\ repair_session = "view" /\ t.replica[i].journal[op] # None

\* Whether replica j has no use for a repair frame of an op.
Useless(t, j, op) == op <= RepairFloor(t, j) \/ Keeps(t, j, op)

\* The op up to which the bodies that replica i holds never change.
Fixed(t, i) ==
  LET r == t.replica[i]
  IN IF MayForget(t, i) THEN 0
     ELSE IF r.view = view_max /\ r.status = "Normal" /\ readoption # "always" THEN r.op
     ELSE r.commit_min

\* A request was served in full when all that serving it again could send is in flight
\* or of no use, and nothing can be lost any more.
Served(t, m) ==
  LET peer  == t.replica[m.to]
      asker == t.replica[m.from]
  IN /\ t.drops_used = drops /\ network = "set"
     /\ \/ asker.session_to # m.high \/ asker.session_peer # m.to
        \/ [type |-> "RepairDone", to |-> m.from] \in t.messages
     /\ \A op \in m.low..m.high :
          \/ Useless(t, m.from, op)
          \/ /\ op <= Fixed(t, m.to) /\ peer.journal[op] # None
             /\ [type |-> "RepairPrepare", to |-> m.from, op |-> op, id |-> peer.journal[op]] \in t.messages

\* A request that was not begins with the first op that is of use, as long as the peer
\* holds the ops before it for good.
Trimmed(t, m) ==
  LET past(op) == op <= Fixed(t, m.to) /\ t.replica[m.to].journal[op] # None /\ Useless(t, m.from, op)
  IN IF m.type # "RequestPrepares" \/ t.drops_used < drops \/ network # "set" THEN m
     ELSE [m EXCEPT !.low = MinOf({op \in m.low..m.high : op = m.high \/ ~past(op)})]

VoteAlive(t, m) ==  \* whether the primary of its view can still decide with it
  LET p == t.replica[Primary(m.view)] IN
  \/ p.view < m.view /\ p.status # "Stopped"
  \/ p.view = m.view /\ p.status = "ViewChange" /\ ~p.parked

Alive(t, m) ==  \* whether some replica can act on the message, now or later
  CASE m.type = "PrepareOk"    -> AckAlive(t, m.from, m.view, m.op, m.id)
    [] m.type = "DoViewChange" -> VoteAlive(t, m)
    [] OTHER ->
       LET i == m.to
           r == t.replica[i]
       IN /\ r.status # "Stopped"
          /\ CASE m.type = "Prepare" ->
                  \/ m.view > r.view
                  \/ /\ m.view = r.view
                     /\ \/ m.op > Floor(t, i) \/ commit_assign = "assigned"
                        \/ applied_prepare = "acked" /\ AckAlive(t, i, m.view, m.op, m.id)
               [] m.type = "Commit" -> CommitAlive(t, m) \/ (network # "set" /\ MayAnnounce(t, i))
               [] m.type = "StartViewChange" ->
                  \/ m.view > r.view
                  \/ m.view = r.view /\ r.status = "ViewChange" /\ ~r.vote_sent /\ m.from \notin r.votes
               [] m.type = "Probe" ->
                  \/ /\ t.replica[m.from].status # "Stopped" /\ MayLead(t, i)
                     /\ LET leads == Primary(m.view) = m.from IN  \* such a probe outlives a restart
                        MayAdopt(t, i, m.from, MayForgetBoot(t, m.from) \/ (leads /\ MayForget(t, m.from)))
                  \/ \E v \in r.view..view_max - 1 : Primary(v) = m.from /\ (probe_match = "any" \/ v = m.view)
               [] m.type = "Answer"    -> AnswerAlive(t, i, m.view, m.op, MayForgetBoot(t, i))
               [] m.type = "StartView" -> StartViewAlive(t, i, m.view, m.op)
               [] m.type = "RequestPrepares" ->
                  LET asker == t.replica[m.from] IN
                  /\ asker.status # "Stopped"
                  /\ m.high > RepairFloor(t, m.from) \/ (asker.session_to = m.high /\ asker.session_peer = i)
                  /\ ~Served(t, m)
               [] m.type = "RepairPrepare" -> m.op > RepairFloor(t, i) /\ ~Keeps(t, i, m.op)
               [] m.type = "RepairDone"    -> r.session_to # 0

\* A heartbeat that raises nothing may still be heard by a later primary, which then
\* announces its view.  Its commit number does not matter for that, so one of number 0
\* stands for all of a view, unless each is delivered once.
StandIns(t) ==
  LET idle == {m \in t.messages : m.type = "Commit" /\ network = "set" /\ t.replica[m.to].status # "Stopped"
                                  /\ ~CommitAlive(t, m) /\ MayAnnounce(t, m.to)}
  IN {[m EXCEPT !.commit = 0] : m \in
        {n \in idle : \/ t.drops_used < drops
                      \/ ~\E o \in t.messages : o.type = "Commit" /\ o.to = n.to /\ o.view = n.view /\ CommitAlive(t, o)}}

NormalReplica(t, i) ==  \* without the variables that no guard will read again
  LET r == t.replica[i]
      last == r.status = "Normal" /\ r.view = view_max
      headersOp == IF last THEN 0 ELSE r.headers_op  \* as far as votes read them
      votesRead == adopted_nacks = "abstains" /\ ~last
  IN [r EXCEPT
       !.observed = IF @ <= r.view THEN 0 ELSE @,
       !.acks = IF r.status = "Normal" /\ Leads(t, i) THEN @ ELSE NoAcks,
       \* Adopted headers serve the next vote, for ops from its commit number up: that is
       \* commit_max, but not above the head.
       !.headers_op = IF repair_scope = "suffix" THEN @ ELSE headersOp,
       !.headers = [op \in Ops |-> IF headersOp = 0 \/ op < Min(r.commit_max, r.op) THEN None ELSE r.headers[op]],
       \* The announced head tells holes from ops never prepared, for the gap check and votes.
       !.announced_op = IF @ <= r.commit_min \/ (gap_check # "adopted-hole" /\ ~votesRead) THEN 0 ELSE @]

\* A commit number in a header is dead when every live replica knows as much and keeps
\* knowing it.
NormalStamp(t) ==
  LET live == {i \in Replicas : t.replica[i].status # "Stopped"}
      unsure == {i \in live : MayForget(t, i) \/ commit_assign = "assigned"}
      low  == MinOf({ops}
                \cup {t.replica[i].commit_max : i \in live \ unsure}
                \cup UNION {LET p == t.replica[Primary(t.replica[i].view)] IN
                            {CommitFloor(t, i)} \cup (IF p.status = "Normal" THEN {p.commit_max} ELSE {})
                            : i \in unsure})
      \* A restart may read them, or a newer view start from less knowledge.
      read == \/ \E i \in unsure : t.replica[i].view < view_max
              \/ \E i \in live : MayForget(t, i) /\ journal_durable /\ restart_applies = "carried"
  IN IF read THEN t.stamp
     ELSE [v \in Views |-> [op \in Ops |-> IF t.stamp[v][op] <= low THEN 0 ELSE t.stamp[v][op]]]

\* view_durability: whether some replica may yet crash and forget its view.  Then no message
\* is dead because its view is past.
ViewsMayGoBack(t) ==
  view_durability = "lost" /\ \E i \in Replicas : t.replica[i].status # "Stopped" /\ MayForget(t, i)

ToStopped(t, m) ==
  CASE m.type = "PrepareOk"    -> FALSE
    [] m.type = "DoViewChange" -> t.replica[Primary(m.view)].status = "Stopped"
    [] OTHER                   -> t.replica[m.to].status = "Stopped"

Receiver(m) == IF m.type \in {"PrepareOk", "DoViewChange"} THEN Primary(m.view) ELSE m.to

\* With "raw" a step is what its handler does.
Normalise(t) ==
  LET u == [t EXCEPT !.replica = [i \in Replicas |-> NormalReplica(t, i)]]
      Kept(S) == {m \in S : ~ToStopped(u, m)}
      w == [u EXCEPT !.messages = {Trimmed(u, m) : m \in {n \in @ : Alive(u, n)}} \cup StandIns(u),
                     !.counted  = {m \in @ : u.replica[Primary(m.view)].view = m.view /\ VoteAlive(u, m)}]
  IN IF Reduce = "raw" THEN t
     ELSE IF ViewsMayGoBack(u) THEN [u EXCEPT !.messages = Kept(@), !.counted = Kept(@)]
     ELSE [w EXCEPT !.stamp = NormalStamp(w)]

(***************************************************************************)
(* Channels.  Messages are in the set messages whatever the network is; a  *)
(* channel adds the order in which those from one replica to another were  *)
(* sent, and one step may send several: frames by op, and then the end of  *)
(* their stream.                                                           *)
(***************************************************************************)
Place(m) ==
  CASE m.type = "Prepare"         -> m.op * 100 + m.view * 10 + m.id
    [] m.type = "PrepareOk"       -> 1000 + m.op * 100 + m.view * 10 + m.id
    [] m.type = "RepairPrepare"   -> 2000 + m.op * 10 + m.id
    [] m.type = "RepairDone"      -> 2100
    [] m.type = "RequestPrepares" -> 3000 + m.high * 10 + m.low
    [] m.type = "Commit"          -> 4000 + m.view * 10 + m.commit
    [] m.type = "Probe"           -> 5000 + m.view
    [] m.type = "Answer"          -> 6000 + m.view * 100 + m.op * 10 + m.commit
    [] m.type = "StartViewChange" -> 7000 + m.view
    [] m.type = "DoViewChange"    -> 8000 + m.view
    [] m.type = "StartView"       -> 9000 + m.view

RECURSIVE InOrder(_)
InOrder(S) ==
  IF S = {} THEN <<>>
  ELSE LET first == CHOOSE m \in S : \A n \in S : Place(m) <= Place(n) IN <<first>> \o InOrder(S \ {first})

\* The channels after a step of replica i that leaves these messages in flight: what is gone
\* is gone from its channel, and what is new is what i has sent.
Channels(i, left) ==
  IF network # "fifo" THEN channels
  ELSE [a \in Replicas |-> [b \in Replicas |->
         SelectSeq(channels[a][b], LAMBDA m : m \in left)
           \o (IF a = i THEN InOrder({m \in left \ messages : Receiver(m) = b}) ELSE <<>>)]]

\* The end of every action, which is one of replica i: the state of the group becomes t.
Become(i, t) ==
  /\ failed = "no"  \* a failed state has no successors
  /\ \E u \in {Normalise(SendEagerly(t))} :  \* not LET, so that TLC computes it once
       /\ replica'      = u.replica
       /\ messages'     = u.messages
       /\ counted'      = u.counted
       /\ stamp'        = u.stamp
       /\ channels'     = Channels(i, u.messages)
       /\ crashes_used' = u.crashes_used
       /\ stops_used'   = u.stops_used
       /\ drops_used'   = u.drops_used
       /\ duplicates_used' = u.duplicates_used
       /\ resets_used'  = u.resets_used
       /\ decided'      = u.decided
       /\ decided_in'   = u.decided_in
       /\ lost'         = u.lost
       /\ failed'       = u.failed
       /\ network = "fifo" => \A j \in Replicas : Len(channels'[i][j]) <= channel  \* else the send waits

\* The same for a step that counts only when it has an effect.
BecomeNew(i, t) == t # Now /\ Become(i, t)

(***************************************************************************)
(* Deliveries.  A message that is delivered "once" leaves the network, but *)
(* for "set"; under "consume" also when the receiver refuses it.  Delivered*)
(* as a "copy" it stays, and the receiver must do something with it.       *)
(***************************************************************************)
Arrives(m, how) ==
  /\ m \in messages
  /\ Live(Receiver(m))  \* with "raw" there are messages to a stopped replica: they are lost, and never arrive
  /\ how = "copy" => duplicates_used < duplicates
  /\ network = "fifo" => m \in {Head(channels[j][Receiver(m)]) : j \in {k \in Replicas : channels[k][Receiver(m)] # <<>>}}

Delivered(m, how, t) ==
  CASE how = "copy"    -> [t EXCEPT !.duplicates_used = @ + 1]
    [] network = "set" -> t
    [] OTHER           -> [t EXCEPT !.messages = @ \ {m}]

Arrive(m, how, t)    == /\ IF how = "copy" THEN Normalise(t) # Now ELSE TRUE
                        /\ Become(Receiver(m), Delivered(m, how, t))
\* Whether the delivery is a step by itself, as the message is gone after it.
Consumes(how)        == network # "set" /\ how = "once"
ArriveNew(m, how, t) == IF t # Now \/ Consumes(how) THEN Arrive(m, how, t) ELSE FALSE
Refuse(m, how)       == Consumes(how) /\ Arrive(m, how, Now)

(***************************************************************************)
(* Normal operation (4.1).                                                 *)
(***************************************************************************)

\* The primary prepares the next op (4.1, steps 2 and 3): a client's request that finds room
\* in the pipeline.
Request(i) ==
  LET r == replica[i]
      n == r.op + 1
  IN /\ r.status = "Normal" /\ Leads(Now, i)
     /\ n <= ops /\ r.op - r.commit_max < pipeline
     /\ LET own == self_ack = "prepared"
            t == [Now EXCEPT !.replica[i].op = n,
                             !.replica[i].journal[n] = r.view,
                             !.replica[i].acks[n] = IF own THEN {i} ELSE {},
                             !.stamp[r.view][n] = IF prepare_carries_commit THEN r.commit_max ELSE @]
        IN Become(i, Forward(IF own THEN t ELSE SelfAck(t, i, {n}), i, r.view, n, r.view))

\* gap_check: whether a backup takes a prepare at an op that it claims and does not hold.
AdmitsHole(r, op) ==
  CASE gap_check = "journal"      -> op <= r.op
    [] gap_check = "adopted-hole" -> op <= r.op /\ op <= r.announced_op
    [] OTHER                      -> FALSE

\* A replica receives a prepare (4.1, step 4): only at the op after its head, unless the
\* rule gap_check lets it fill a hole.  What is held already is forwarded and acked again.
OnPrepare(m, how) ==
  LET i    == m.to
      r    == replica[i]
      held == r.journal[m.op]
      backup == ~Leads(Now, i)
      \* A backup learns the commit number of the header before any check below.
      known == [Now EXCEPT !.replica[i].commit_max = IF backup THEN Max(@, stamp[m.id][m.op]) ELSE @]
      filled == [r EXCEPT !.journal[m.op] = m.id, !.op = Max(@, m.op)]
      taken == [known EXCEPT
                  !.replica[i].journal[m.op] = m.id,
                  !.replica[i].op = IF prepare_frontier = "contiguous" THEN AdvanceHead(filled).op ELSE filled.op]
  IN /\ Arrives(m, how)
     /\ IF r.status # "Normal" \/ m.view < r.view THEN Refuse(m, how)
        ELSE IF m.view > r.view THEN ArriveNew(m, how, Observe(Now, i, m.view))
        ELSE IF m.op <= r.commit_min THEN
          IF applied_prepare = "acked" /\ held = m.id /\ m.op <= r.op
          THEN Arrive(m, how, Ack(known, i, {m.op}))
          ELSE ArriveNew(m, how, known)
        ELSE IF held = m.id /\ reack = "acked" THEN  \* had before: forward and ack it again
          Arrive(m, how, Ack(Forward(known, i, m.view, m.op, m.id), i, IF m.op <= r.op THEN {m.op} ELSE {}))
        ELSE IF held # None THEN ArriveNew(m, how, known)
        ELSE IF ~backup THEN
          \* A primary journals what it prepares before anybody can send it back.
          IF m.op > r.op THEN Arrive(m, how, [Now EXCEPT !.failed = "prepare above the sequencer"])
          ELSE Arrive(m, how, [Now EXCEPT !.replica[i].journal[m.op] = m.id])
        ELSE IF m.op = r.op + 1 \/ AdmitsHole(r, m.op) THEN
          Arrive(m, how, WalkJournal(Ack(Forward(taken, i, m.view, m.op, m.id), i, {m.op}), i))
        ELSE ArriveNew(m, how, known)  \* an out-of-order prepare

ReceivePrepare(m) == OnPrepare(m, "once")

\* The primary counts an ack (4.1, step 5).  The commit number walks up while consecutive ops have
\* their quorum, and stops at the first that has none.
OnPrepareOk(m, how) ==
  LET p   == Primary(m.view)
      r   == replica[p]
      acks == [r.acks EXCEPT ![m.op] = @ \cup {m.from}]
      q   == [r EXCEPT !.acks = acks]
      open == {op \in r.commit_max + 1..ops : ~HasQuorum(q, op)}
      n   == IF open = {} THEN ops ELSE MinOf(open) - 1
      t   == [Now EXCEPT !.replica[p].acks = acks]
      counts == /\ r.status = "Normal" /\ m.view = r.view
                /\ m.op > r.commit_max /\ InPipeline(r, m.op) /\ r.journal[m.op] = m.id
                /\ m.from \notin r.acks[m.op] /\ ~HasQuorum(r, m.op)
  IN /\ Arrives(m, how)
     /\ IF ~counts THEN Refuse(m, how)
        ELSE IF ~HasQuorum(q, m.op) THEN Arrive(m, how, t)
        ELSE Arrive(m, how, Drain(Decide([t EXCEPT !.replica[p].commit_max = n], p, r.commit_max + 1..n), p))

ReceivePrepareOk(m) == OnPrepareOk(m, "once")

\* A tick applies committed ops that are in the journal (Apache Iggy #4006).
CommitWalk(i) ==
  LET r == replica[i] IN
  /\ r.status = "Normal" /\ r.commit_min < r.commit_max /\ r.journal[r.commit_min + 1] # None
  /\ Become(i, IF Leads(Now, i) THEN Drain(Now, i) ELSE WalkJournal(Now, i))

\* The primary tells all backups what it has applied (4.1, step 6).
Heartbeat(i) ==
  /\ ~EagerHeartbeats
  /\ MayHeartbeat(Now, i)
  /\ BecomeNew(i, SendHeartbeat(Now, i))

\* A heartbeat of an older view makes a primary announce its own; one that raises the
\* commit number walks the journal and may open a repair session.
OnCommit(m, how) ==
  LET i == m.to
      r == replica[i]
  IN /\ Arrives(m, how)
     /\ IF Leads(Now, i)
        THEN CASE r.status = "Normal" /\ m.view < r.view -> ArriveNew(m, how, AnswerTo(Now, i, Replicas \ {i}))
               [] m.view > r.view                        -> ArriveNew(m, how, Observe(Now, i, m.view))
               [] OTHER                                  -> Refuse(m, how)
        ELSE IF r.status # "Normal" THEN Refuse(m, how)
        ELSE CASE m.view > r.view -> ArriveNew(m, how, Observe(Now, i, m.view))
               [] m.view = r.view /\ m.commit > r.commit_max ->
                    Arrive(m, how, OpenRepair(WalkJournal([Now EXCEPT !.replica[i].commit_max = m.commit], i),
                                              i, Primary(m.view)))
               [] OTHER -> Refuse(m, how)

ReceiveCommit(m) == OnCommit(m, "once")

\* The primary sends each op above its commit number that has no quorum again, to every
\* replica that has not acked it; and makes its own ack again, under self_ack = "tick".
Retransmit(i) ==
  LET r == replica[i]
      open == {op \in r.commit_max + 1..r.op : InPipeline(r, op) /\ ~HasQuorum(r, op)}
      own  == IF self_ack = "tick" THEN {op \in open : i \notin r.acks[op]} ELSE {}
  IN /\ r.status = "Normal" /\ Leads(Now, i)
     /\ BecomeNew(i, Send(SelfAck(Now, i, own), UNION {
          {[type |-> "Prepare", to |-> j, view |-> r.view, op |-> op, id |-> r.journal[op]]
             : j \in Replicas \ (r.acks[op] \cup {i})} : op \in open}))

(***************************************************************************)
(* Log repair.  It is not in the paper: a replica that misses bodies asks  *)
(* one peer for a range of ops.                                            *)
(***************************************************************************)

\* A tick opens a session while an op is missing, as far as repair_arming lets it
\* (Apache Iggy #4006, #4008).  The peer is the primary; a primary asks the next replica
\* on the ring.
ArmRepair(i) ==
  LET r      == replica[i]
      hole   == r.commit_min < r.commit_max /\ r.journal[r.commit_min + 1] = None
      needed == CASE repair_arming = "events" -> FALSE
                  [] repair_arming = "any"    -> hole \/ MissingSuffix(r)
                  [] OTHER                    -> hole
      peer   == IF Leads(Now, i) THEN (i + 1) % replicas ELSE Primary(r.view)
  IN /\ r.status = "Normal" /\ r.session_to = 0
     \* IF, as TLC would generate the step once for each disjunct of a guard.
     /\ IF needed THEN BecomeNew(i, OpenRepair(Now, i, peer)) ELSE FALSE

\* A stalled session asks again.
RetryRepair(i) ==
  /\ replica[i].status = "Normal" /\ replica[i].session_to # 0
  /\ BecomeNew(i, AskRepair(Now, i))

\* session_end: a tick ends a session whose window was applied otherwise.
CloseRepair(i) ==
  /\ session_end = "tick"
  /\ replica[i].session_to # 0 /\ replica[i].commit_min >= replica[i].session_to
  /\ Become(i, CloseSession(Now, i))

\* A Normal peer streams what it holds of the asked range, in order, up to its first
\* hole, and then RepairDone, which belongs to the session that has this peer and end.
OnRequestPrepares(m, how) ==
  LET i == m.to
      r == replica[i]
      asker   == replica[m.from]
      ceiling == IF serve_ceiling = "head" THEN Max(r.commit_max, r.op) ELSE r.commit_max
      last    == RunEnd(r.journal, m.low, Min(m.high, ceiling))
      done    == IF asker.session_to = m.high /\ asker.session_peer = i
                 THEN {[type |-> "RepairDone", to |-> m.from]} ELSE {}
  IN /\ Arrives(m, how)
     /\ IF r.status # "Normal" THEN Refuse(m, how)
        ELSE ArriveNew(m, how, Send(Now, done \cup
          {[type |-> "RepairPrepare", to |-> m.from, op |-> op, id |-> r.journal[op]] : op \in m.low..last}))

ReceiveRequestPrepares(m) == OnRequestPrepares(m, "once")

\* There is no check of the view, the status or the role.  Under repair_frames = any frames
\* carry no session number, so one from an earlier session counts, whoever sent it.
OnRepairPrepare(m, how) ==
  LET i == m.to
      r == replica[i]
      useful == /\ m.op > r.commit_min /\ m.op <= r.session_to /\ r.journal[m.op] = None
                /\ (repair_scope = "suffix" /\ r.headers_op # 0) => m.op <= r.headers_op
      taken  == [r EXCEPT !.journal[m.op] = m.id]
      head   == IF repair_frontier = "op" THEN Max(r.op, m.op) ELSE AdvanceHead(taken).op
  IN /\ Arrives(m, how)
     /\ IF ~useful THEN Refuse(m, how)
        ELSE Arrive(m, how, [Now EXCEPT !.replica[i] = [taken EXCEPT !.op = head]])

ReceiveRepairPrepare(m) == OnRepairPrepare(m, "once")

\* The end of the live session's stream: walk the journal; the session ends when all
\* that it asked for is applied, and asks for the rest at once when the walk got on.
OnRepairDone(m, how) ==
  LET i == m.to
      t == WalkJournal(Now, i)
  IN /\ Arrives(m, how)
     /\ IF replica[i].session_to = 0 THEN Refuse(m, how)
        ELSE IF t.replica[i].commit_min >= t.replica[i].session_to THEN Arrive(m, how, CloseSession(t, i))
        ELSE IF t.replica[i].commit_min > replica[i].commit_min THEN Arrive(m, how, AskRepair(t, i))
        ELSE Refuse(m, how)

ReceiveRepairDone(m) == OnRepairDone(m, "once")

(***************************************************************************)
(* Finding the current view: probes and StartView (4.3, in Iggy's form).   *)
(***************************************************************************)

\* A replica that has seen traffic of a newer view stops serving its own and probes.
NewerViewTimeout(i) ==
  /\ replica[i].status = "Normal" /\ replica[i].observed > replica[i].view
  /\ Become(i, [LeaveView(Now, i) EXCEPT !.replica[i].status = "Recovering"])

\* A Recovering replica, or a backup in a view change, asks for the StartView of the
\* current view.
Probe(i) ==
  /\ ~EagerProbes
  /\ MayProbe(Now, i)
  /\ BecomeNew(i, SendProbe(Now, i))

\* probe_match: whether a probe makes a Normal backup elect.
ProbeElects(r, m) ==
  Primary(r.view) = m.from /\ (probe_match = "stamped" => m.view = r.view) /\ r.view < view_max

\* The settled primary answers.  A backup stays silent, except that a probe from the
\* primary of its own view, stamped with that view, makes it start an election.
OnProbe(m, how) ==
  LET i == m.to
      r == replica[i]
  IN /\ Arrives(m, how)
     /\ IF r.status # "Normal" THEN Refuse(m, how)
        ELSE IF Primary(r.view) = m.from
        THEN IF ProbeElects(r, m) THEN Arrive(m, how, StartElection(Now, i)) ELSE Refuse(m, how)
        ELSE IF Leads(Now, i) /\ r.log_view = r.view THEN ArriveNew(m, how, AnswerTo(Now, i, {m.from}))
        ELSE Refuse(m, how)

ReceiveProbe(m) == OnProbe(m, "once")

\* A recovering replica that nobody answers starts an election (recovering_elects).
ProbeTimeout(i) ==
  /\ recovering_elects /\ replica[i].status = "Recovering" /\ replica[i].view < view_max
  /\ Become(i, StartElection(Now, i))

\* The journal entries that are dropped because they disagree with an adopted or merged
\* log: all from the lowest that differs, and all above its head; never what is applied
\* or announced as committed.  Without a suffix log is NoLog and commit is 0.  Under
\* relics = "stay" what is above the head goes only when something below it differs.
Reconcile(r, head, commit, log) ==
  LET floor   == Max(r.commit_min, commit)
      differs == {op \in floor + 1..head : r.journal[op] # None /\ log[op] # None /\ r.journal[op] # log[op]}
      cut     == IF differs # {} THEN MinOf(differs) ELSE IF relics = "stay" THEN ops + 1 ELSE Max(head, floor) + 1
  IN [r EXCEPT !.journal = [op \in Ops |-> IF op >= cut THEN None ELSE r.journal[op]]]

\* reconcile: a replica whose own log is older than the adopted one keeps, above what it
\* has applied, only what that names.
DropUnproven(r, head, commit, log) ==
  IF reconcile # "proven" THEN r
  ELSE [r EXCEPT !.journal = [op \in Ops |->
          IF op > r.commit_min /\ (op <= head \/ relics = "swept") /\ (op < Max(commit, 1) \/ op > head \/ r.journal[op] # log[op])
          THEN None ELSE r.journal[op]]]

\* readoption: whether a Normal replica adopts a StartView of its own view.
Readopts(r, op) ==
  CASE readoption = "ahead" -> op > r.op
    [] readoption = "never" -> FALSE
    [] OTHER                -> TRUE

\* Replica i adopts the log of a view as its primary announces it in message m.  named says
\* whether the announcement has a suffix, which is then log.
Adopt(m, how, i, view, op, commit, log, named) ==
  LET r     == replica[i]
      left  == LeaveView(Now, i)
      floor == IF named THEN commit ELSE 0
      joined == [ClearHeaders(ResetViewChange(left.replica[i])) EXCEPT
                   !.view = view, !.log_view = view, !.status = "Normal",
                   !.commit_max = IF commit_assign = "assigned" THEN commit ELSE Max(@, commit),
                   !.op = op, !.announced_op = op,
                   !.headers_op = IF named THEN op ELSE 0,
                   !.headers    = IF named THEN log ELSE NoLog]
      proven == IF r.log_view < view THEN DropUnproven(joined, op, floor, log) ELSE joined
      t      == [left EXCEPT !.replica[i] = Reconcile(proven, op, floor, log)]
      held   == {o \in commit + 1..op : t.replica[i].journal[o] # None}
      acked  == Ack(t, i, held)
      learnt == IF r.status = "Recovering" /\ learned_commit = "jumped"
                THEN [acked EXCEPT !.replica[i].commit_min = t.replica[i].commit_max] ELSE acked
      fits   == /\ view >= r.view
                /\ ~(view = r.log_view /\ op < r.commit_min)
                /\ (view = r.view /\ r.status = "Normal") => Readopts(r, op)
                /\ ~(r.status = "Recovering" /\ view < r.observed /\ probe_adoption = "observed")
  IN IF ~fits THEN Refuse(m, how)
     ELSE Arrive(m, how, OpenRepair(WalkJournal(learnt, i), i, Primary(view)))

\* The answer to a probe.
OnAnswer(m, how) == Arrives(m, how) /\ Adopt(m, how, m.to, m.view, m.op, m.commit, NoLog, FALSE)

ReceiveAnswer(m) == OnAnswer(m, "once")

\* The StartView that concludes a view change (4.2, step 5).  A suffix of nothing is no suffix.
\* It went out to all, and answers nobody (incarnation).
OnStartView(m, how) ==
  /\ Arrives(m, how)
  /\ IF incarnation = "checked" /\ Restarted(replica[m.to]) THEN Refuse(m, how)
     ELSE Adopt(m, how, m.to, m.view, m.op, m.commit, m.log, m.op > 0)

ReceiveStartView(i, v) ==
  \E m \in {n \in messages : n.type = "StartView" /\ n.to = i /\ n.view = v} : OnStartView(m, "once")

(***************************************************************************)
(* View changes (4.2), with the vote and the merge of the running system:  *)
(* votes carry headers with nacks, and the new primary decides per op.     *)
(***************************************************************************)

\* A backup hears nothing from its primary (4.2, step 1).  One that has seen traffic of a
\* newer view probes for it instead.
HeartbeatTimeout(i) ==
  LET r == replica[i] IN
  /\ r.status = "Normal" /\ ~Leads(Now, i) /\ r.observed <= r.view /\ r.view < view_max
  /\ Become(i, StartElection(Now, i))

\* A view change does not come to an end; try the next view.
ViewChangeTimeout(i) ==
  /\ replica[i].status = "ViewChange" /\ replica[i].view < view_max
  /\ Become(i, EnterViewChange(Now, i, replica[i].view + 1))

\* A replica in a view change repeats its StartViewChange.
ResendStartViewChange(i) ==
  /\ replica[i].status = "ViewChange"
  /\ BecomeNew(i, SendStartViewChange(Now, i))

\* The DoViewChange of a replica: its commit number is at most its head (dvc_commit), and each
\* op from there to its head is reported as it is known.
BuildVote(r, i) ==
  LET commit == IF dvc_commit = "unclamped" THEN r.commit_max ELSE Min(r.commit_max, r.op)
      says(op) ==
        IF r.journal[op] # None THEN [says |-> "body", id |-> r.journal[op]]
        ELSE IF op <= r.headers_op /\ r.headers[op] # None THEN [says |-> "header", id |-> r.headers[op]]
        \* Missing is no proof: the replica claims the op since it adopted it.
        ELSE IF op <= r.announced_op /\ adopted_nacks = "abstains" THEN Nothing
        ELSE IF op > commit THEN Nack ELSE Nothing
  IN [type |-> "DoViewChange", view |-> r.view, from |-> i, log_view |-> r.log_view,
      op |-> r.op, commit |-> commit,
      items |-> [op \in Ops |-> IF op \in Max(commit, 1)..r.op THEN says(op) ELSE Nothing]]

\* canonical_sender: the view that a voter's log belongs to, by which the logs are told apart.
Rank(v) ==
  LET named == {op \in Max(v.commit, 1)..v.op : v.items[op].id # None} IN
  IF canonical_sender = "log_view" THEN v.log_view
  ELSE IF named = {} THEN 0
  ELSE v.items[MaxOf(named)].id  \* the view of its last prepare

\* What the votes say of one op.  Canonical are those whose log belongs to the highest view.
Tally(votes, logView, op) ==
  LET said  == {v.items[op].id : v \in {w \in votes : Rank(w) = logView /\ op <= w.op}} \ {None}
      id    == MaxOf(said \cup {None})
      nacks == {v \in votes :
                  \/ op > v.op  \* its log ends below
                  \* It says nothing (silent_sender).
                  \/ silent_sender = "nacks" /\ (op < Max(v.commit, 1) \/ v.items[op].says = "nothing")
                  \/ /\ op >= Max(v.commit, 1)
                     /\ \/ v.items[op].says = "nack"
                        \* It holds another body, or one that a newer view discarded.
                        \/ v.items[op].id \notin {None, id} /\ Rank(v) < logView}
      copies == {v \in votes : op <= v.op /\ op >= Max(v.commit, 1)
                               /\ v.items[op].says = "body" /\ v.items[op].id = id}
  IN [id       |-> id,
      nacked   |-> Cardinality(nacks) >= NackQuorum,
      conflict |-> Cardinality(said) > 1,
      copies   |-> Cardinality(copies)]

\* The log of the new view, for every op that might be uncommitted.  Discarding takes a
\* nack quorum; keeping takes a header from a canonical sender and a copy of the body.
MergedLog(t, r, votes) ==
  LET logView == MaxOf({Rank(v) : v \in votes})
      \* The head prepare of a sender carries a commit number too.
      inHead(v) == IF v.op = 0 \/ v.items[v.op].id = None THEN 0 ELSE t.stamp[v.items[v.op].id][v.op]
      commit  == MaxOf(UNION {{v.commit, inHead(v)} : v \in votes})
      longest == MaxOf({v.op : v \in {w \in votes : Rank(w) = logView}})
      top     == Max(commit, longest)
      window  == Max(commit, 1)..top
      tally   == [op \in window |-> Tally(votes, logView, op)]
      kept(op) == ~tally[op].nacked /\ ~tally[op].conflict /\ tally[op].id # None /\ tally[op].copies > 0
      open    == {op \in window : ~kept(op)}
      first   == MinOf(open)
      head    == IF open = {} THEN top ELSE first - 1
      \* merge_log: of the log that wins only the head counts; the journal of the new primary
      \* has to do, up to its first hole.
      own     == RunEnd(r.journal, r.commit_min + 1, longest)
  IN IF merge_log = "op_number"
     THEN [ok |-> own - commit <= pipeline, logView |-> logView, commit |-> commit, head |-> own,
           log |-> [op \in Ops |-> IF op \in Max(commit, 1)..own THEN r.journal[op] ELSE None]]
     ELSE [\* It refuses to discard what is committed, or to start a view that is too long.
      ok      |-> /\ open = {} \/ (tally[first].nacked /\ first > commit)
                  /\ head - commit <= pipeline,
      logView |-> logView, commit |-> commit, head |-> head,
      log     |-> [op \in Ops |-> IF op \in Max(commit, 1)..head THEN tally[op].id ELSE None]]

\* The primary of the view change decides the log when the votes allow it, and parks it.
Merge(t, p) ==
  LET r     == t.replica[p]
      votes == {m \in t.counted : m.view = r.view}
      log   == MergedLog(t, r, votes)
      own   == IF r.log_view < log.logView /\ coverage = "identity" THEN DropUnproven(r, log.head, log.commit, log.log) ELSE r
  IN IF r.parked \/ Cardinality(votes) < ViewChangeQuorum THEN t
     ELSE IF ~log.ok THEN t
     ELSE [t EXCEPT !.replica[p] =
             [own EXCEPT !.commit_max = Max(@, log.commit), !.parked = TRUE,
                         !.log_view = IF log_view_time = "decided" THEN r.view ELSE @,
                         !.merged_op = log.head, !.merged_commit = log.commit, !.merged = log.log]]

\* The votes but those of one replica for one view.
Without(votes, view, from) == {m \in votes : ~(m.type = "DoViewChange" /\ m.view = view /\ m.from = from)}

\* Count one's own vote, at the primary of the view change.
CountOwn(t, p) ==
  LET r == t.replica[p] IN
  [t EXCEPT !.replica[p].vote_sent = TRUE, !.replica[p].votes = {},
            !.counted = Without(@, r.view, p) \cup {BuildVote(r, p)}]

Counted(t, view, from) == \E m \in t.counted : m.view = view /\ m.from = from

\* Send the vote to the primary of the next view, or count it there.  One who forgot the view
\* may have voted in it before (view_durability).
Vote(t, i) ==
  LET r == t.replica[i]
      voted == [t EXCEPT !.replica[i].vote_sent = TRUE, !.replica[i].votes = {}]
  IN IF Counted(t, r.view, i) THEN voted
     ELSE IF Leads(t, i) THEN Merge(CountOwn(t, i), i)
     ELSE [voted EXCEPT !.messages = Without(@, r.view, i) \cup {BuildVote(r, i)}]

\* recovering_votes: whether a replica hears nothing of a view change as it is recovering.
StaysOut(r) == r.status = "Recovering" /\ recovering_votes = "invisible"

\* Count the sender; with f of them from others, vote (4.2, step 2).
OnStartViewChange(m, how) ==
  LET i == m.to
      r == replica[i]
      t == IF m.view > r.view THEN EnterViewChange(Now, i, m.view) ELSE Now
      u == [t EXCEPT !.replica[i].votes = @ \cup {m.from}]
      counts == /\ ~StaysOut(r)
                /\ m.view > r.view \/ (m.view = r.view /\ r.status = "ViewChange" /\ ~r.vote_sent /\ m.from \notin r.votes)
  IN /\ Arrives(m, how)
     /\ IF counts THEN Arrive(m, how, IF Cardinality(u.replica[i].votes \ {i}) >= MaxFaulty THEN Vote(u, i) ELSE u)
        ELSE Refuse(m, how)

ReceiveStartViewChange(m) == OnStartViewChange(m, "once")

\* The vote is built and sent again.  An earlier copy in flight is replaced: the first
\* vote of a sender that arrives is the one that counts.
ResendDoViewChange(i) ==
  LET r == replica[i] IN
  /\ r.status = "ViewChange" /\ r.vote_sent /\ ~Leads(Now, i)
  /\ ~Counted(Now, r.view, i)
  \* One that is in a channel has to arrive first.
  /\ network = "fifo" => ~\E m \in messages : m.type = "DoViewChange" /\ m.view = r.view /\ m.from = i
  /\ BecomeNew(i, [Now EXCEPT !.messages = Without(@, r.view, i) \cup {BuildVote(r, i)}])

\* The primary of the next view counts a vote (4.2, step 3).
OnDoViewChange(m, how) ==
  LET v == m.view
      p == Primary(v)
      r == replica[p]
      t == IF v > r.view THEN EnterViewChange(Now, p, v) ELSE Now
      u == IF t.replica[p].vote_sent THEN t ELSE CountOwn(t, p)
      counts ==
        /\ ~StaysOut(r)
        /\ m.commit <= m.op  \* else it is refused as malformed (dvc_commit)
        \* quorum_latch: a quorum of votes is counted, and may still have decided nothing.
        /\ (quorum_latch = "quorum" /\ v = r.view) =>
             Cardinality({n \in counted : n.view = v}) < ViewChangeQuorum
        /\ v > r.view \/ (v = r.view /\ r.status = "ViewChange")
  IN /\ Arrives(m, how)
     /\ IF counts THEN Arrive(m, how, Merge([u EXCEPT !.messages = @ \ {m}, !.counted = @ \cup {m}], p))
        ELSE Refuse(m, how)

ReceiveDoViewChange(v, from) ==
  \E m \in {n \in messages : n.type = "DoViewChange" /\ n.view = v /\ n.from = from} : OnDoViewChange(m, "once")

\* A tick of the new primary brings its journal in line with the merged log and starts
\* the view once the journal covers it (4.2, steps 3 and 4; start_coverage).  The pipeline is
\* rebuilt from the journal, up to its first gap.
AdvanceView(i) ==
  LET r    == replica[i]
      own  == IF coverage = "number" THEN Reconcile(r, r.merged_op, 0, NoLog)  \* bodies are not compared
              ELSE Reconcile(r, r.merged_op, r.merged_commit, r.merged)
      covers(op) ==
        LET below == op < Max(r.merged_commit, 1) IN
        \/ below /\ start_coverage = "merged"
        \/ own.journal[op] # None /\ (below \/ own.journal[op] = r.merged[op] \/ coverage = "number")
      last == RunEnd(own.journal, r.merged_commit + 1, r.merged_op)
      started ==
        [ClearHeaders(ResetViewChange(own)) EXCEPT
           !.status = "Normal", !.log_view = r.view, !.op = r.merged_op, !.announced_op = 0,
           !.acks = [op \in Ops |-> IF op \in r.merged_commit + 1..last THEN {i} ELSE {}]]
      t == LeaveView([Now EXCEPT !.replica[i] = started], i)
  IN /\ r.status = "ViewChange" /\ r.parked
     /\ IF \A op \in r.commit_min + 1..r.merged_op : covers(op)
        \* A view starts once, or else what it announced before is replaced (view_durability).
        THEN Become(i, Drain(Send([t EXCEPT !.messages = {m \in @ : ~(m.type = "StartView" /\ m.view = r.view)}],
               {[type |-> "StartView", to |-> j, view |-> r.view, op |-> r.merged_op,
                 commit |-> r.merged_commit, log |-> r.merged] : j \in Replicas \ {i}}), i))
        ELSE BecomeNew(i, [Now EXCEPT !.replica[i] = own])

(***************************************************************************)
(* Faults.                                                                 *)
(***************************************************************************)

\* incarnation: what a replica asked before its restart, and what was answered, carries the
\* incarnation of a boot that is over.  But a probe of a view that it leads still says that it
\* cannot lead that view.
EndBoot(t, i) ==
  IF incarnation = "inert" THEN t
  ELSE [t EXCEPT !.messages = {m \in @ : /\ ~(m.type = "Answer" /\ m.to = i)
                                         /\ ~(m.type = "Probe" /\ m.from = i /\ Primary(m.view) # i)}]

\* restart_applies: up to which op a restarted replica takes its durable journal for committed.
RestartCommit(r) ==
  CASE restart_applies = "carried"   -> MaxOf({0} \cup {stamp[r.journal[op]][op] : op \in 1..r.op})
    [] restart_applies = "journaled" -> r.op
    [] OTHER                         -> 0

\* In one view nothing asks for the ghost lost.
RecordsLost == view_max > 0 \/ Reduce = "raw"

\* A replica loses its volatile state and restarts (4.3).  The view and the log view are in
\* the superblock, but for view_durability; so is the journal when it is durable.
CrashRestart(i) ==
  LET r == replica[i]
      kept == view_durability = "kept"
      back == [Blank EXCEPT !.status = "Recovering",
                            !.view = IF kept THEN r.view ELSE 0, !.log_view = IF kept THEN r.log_view ELSE 0]
      read == AdvanceHead([back EXCEPT !.journal = r.journal])
      \* What is on its way to the process is lost with it, where there are connections.
      due  == UNION {InChannel(j, i) : j \in Replicas}
      t    == [EndBoot(CloseSession([Now EXCEPT !.messages = @ \ due], i), i) EXCEPT
                 !.replica[i] = IF journal_durable THEN [read EXCEPT !.commit_max = RestartCommit(read)] ELSE back,
                 \* The votes counted are part of what it forgets.
                 !.counted = IF kept THEN @ ELSE {m \in @ : Primary(m.view) # i},
                 !.lost = IF journal_durable \/ ~RecordsLost THEN @ ELSE @ \cup {i},
                 !.crashes_used = @ + 1]
  IN /\ Live(i) /\ crashes_used < crashes /\ i \in may_crash
     /\ Become(i, IF journal_durable THEN WalkJournal(t, i) ELSE t)

\* A replica is gone for good.
Stop(i) ==
  /\ Live(i) /\ stops_used < stops /\ i \in may_stop
  /\ Become(i, [CloseSession(Now, i) EXCEPT
       !.replica[i] = [Blank EXCEPT !.status = "Stopped"],
       !.lost = IF ~RecordsLost THEN @ ELSE @ \cup {i},
       !.stops_used = @ + 1])

\* A message is lost.  Sending it again puts it back.
Drop ==
  /\ drops_used < drops
  /\ \E m \in messages : Become(Receiver(m), [Now EXCEPT !.messages = @ \ {m}, !.drops_used = @ + 1])

\* A message is delivered and stays in flight (consume).
Duplicate(m) ==
  CASE m.type = "Prepare"         -> OnPrepare(m, "copy")
    [] m.type = "PrepareOk"       -> OnPrepareOk(m, "copy")
    [] m.type = "Commit"          -> OnCommit(m, "copy")
    [] m.type = "RequestPrepares" -> OnRequestPrepares(m, "copy")
    [] m.type = "RepairPrepare"   -> OnRepairPrepare(m, "copy")
    [] m.type = "RepairDone"      -> OnRepairDone(m, "copy")
    [] m.type = "Probe"           -> OnProbe(m, "copy")
    [] m.type = "Answer"          -> OnAnswer(m, "copy")
    [] m.type = "StartViewChange" -> OnStartViewChange(m, "copy")
    [] m.type = "DoViewChange"    -> OnDoViewChange(m, "copy")
    [] m.type = "StartView"       -> OnStartView(m, "copy")

\* The connection of two replicas breaks, with all that is in it (fifo).
Reset(i, j) ==
  LET lost_now == InChannel(i, j) \cup InChannel(j, i) IN
  /\ resets_used < resets /\ lost_now # {}
  /\ Become(i, [Now EXCEPT !.messages = @ \ lost_now, !.resets_used = @ + 1])

(***************************************************************************)
(* The specification.                                                      *)
(***************************************************************************)
Next ==
  \/ \E i \in Replicas :
       \/ Request(i) \/ Retransmit(i) \/ Heartbeat(i) \/ CommitWalk(i)
       \/ ArmRepair(i) \/ RetryRepair(i) \/ CloseRepair(i)
       \/ Probe(i) \/ NewerViewTimeout(i) \/ HeartbeatTimeout(i) \/ ViewChangeTimeout(i) \/ ProbeTimeout(i)
       \/ ResendStartViewChange(i) \/ ResendDoViewChange(i) \/ AdvanceView(i)
       \/ CrashRestart(i) \/ Stop(i)
  \/ \E m \in Prepare : ReceivePrepare(m)
  \/ \E m \in PrepareOk : ReceivePrepareOk(m)
  \/ \E m \in Commit : ReceiveCommit(m)
  \/ \E m \in RequestPrepares : ReceiveRequestPrepares(m)
  \/ \E m \in RepairPrepare : ReceiveRepairPrepare(m)
  \/ \E m \in RepairDone : ReceiveRepairDone(m)
  \/ \E m \in ProbeMessage : ReceiveProbe(m)
  \/ \E m \in Answer : ReceiveAnswer(m)
  \/ \E m \in StartViewChange : ReceiveStartViewChange(m)
  \/ \E v \in Views, i \in Replicas : ReceiveDoViewChange(v, i) \/ ReceiveStartView(i, v)
  \/ \E m \in messages : Duplicate(m)
  \/ \E j \in Replicas : \E i \in 0..j - 1 : Reset(i, j)
  \/ Drop

Spec == Init /\ [][Next]_vars

\* Every delivery, retransmission, probe, repair and local step is weakly fair; requests,
\* timeouts that change the view and faults are not.
Fairness ==
  /\ \A i \in Replicas :
       /\ WF_vars(Retransmit(i)) /\ WF_vars(Heartbeat(i)) /\ WF_vars(CommitWalk(i))
       /\ WF_vars(ArmRepair(i)) /\ WF_vars(RetryRepair(i)) /\ WF_vars(CloseRepair(i))
       /\ WF_vars(Probe(i)) /\ WF_vars(NewerViewTimeout(i))
       /\ WF_vars(ResendStartViewChange(i)) /\ WF_vars(ResendDoViewChange(i)) /\ WF_vars(AdvanceView(i))
  /\ \A m \in Prepare : WF_vars(ReceivePrepare(m))
  /\ \A m \in PrepareOk : WF_vars(ReceivePrepareOk(m))
  /\ \A m \in Commit : WF_vars(ReceiveCommit(m))
  /\ \A m \in RequestPrepares : WF_vars(ReceiveRequestPrepares(m))
  /\ \A m \in RepairPrepare : WF_vars(ReceiveRepairPrepare(m))
  /\ \A m \in RepairDone : WF_vars(ReceiveRepairDone(m))
  /\ \A m \in ProbeMessage : WF_vars(ReceiveProbe(m))
  /\ \A m \in Answer : WF_vars(ReceiveAnswer(m))
  /\ \A m \in StartViewChange : WF_vars(ReceiveStartViewChange(m))
  /\ \A v \in Views, i \in Replicas : WF_vars(ReceiveDoViewChange(v, i)) /\ WF_vars(ReceiveStartView(i, v))

FairSpec == Spec /\ Fairness

(***************************************************************************)
(* Safety.                                                                 *)
(***************************************************************************)

\* No two replicas ever apply different bodies at one op.
Agreement ==
  \A i \in Replicas : \A op \in 1..replica[i].commit_min : replica[i].journal[op] = decided[op]

\* An op that was committed is held by somebody.  Not excused by more than f losses.
CommittedIsHeld ==
  \A op \in Ops : decided[op] # None =>
     \E i \in Replicas : replica[i].status # "Stopped" /\ replica[i].journal[op] = decided[op]

\* No condition that the running system asserts is false.
NoAssertion == failed = "no"

\* A view that every replica is Normal in can be left by a timeout only: no message in
\* flight takes one to a higher view.  An election that a message starts is the same step
\* as one that a timeout starts, so this is about states.
SettledViewStays ==
  LET view == replica[0].view IN
  (\A i \in Replicas : replica[i].status = "Normal" /\ replica[i].view = view) =>
     \A m \in messages :
        CASE m.type = "Probe" -> ~ProbeElects(replica[m.to], m)
          [] m.type \in {"StartViewChange", "DoViewChange", "StartView", "Answer"} -> m.view <= view
          [] OTHER -> TRUE

\* A replica's numbers never go back, except by a crash or a stop.
NoRegression ==
  [][\A i \in Replicas :
       LET a == replica[i]
           b == replica'[i]
       IN b.status # "Stopped" =>
            /\ b.view >= a.view /\ b.log_view >= a.log_view
            /\ \/ b.commit_max >= a.commit_max /\ b.commit_min >= a.commit_min
               \/ CrashRestart(i)]_vars

\* A view that starts has every op committed before it, as long as at most f replicas
\* have lost their journal or stopped.  A hole at or below commit_max is still to be
\* repaired; another body is wrong.
Durability ==
  [][Cardinality(lost') <= MaxFaulty =>
       \A i \in Replicas :
         LET a == replica[i]
             b == replica'[i]
             starts == b.status = "Normal" /\ a.status = "ViewChange" /\ Primary(b.view) = i
         IN starts =>
              \A op \in Ops :
                (/\ decided[op] # None /\ op > b.commit_min
                 /\ view_max > 1 => decided_in[op] < b.view) =>
                  /\ op <= b.op
                  /\ \/ b.journal[op] = decided[op]
                     \/ b.journal[op] = None /\ op <= b.commit_max]_vars

(***************************************************************************)
(* Liveness.  Each is a set of obligations; an obligation leads to its     *)
(* end, which is the same as that it is over again and again: P ~> ~P is   *)
(* []<>~P.  AckedLeadsToDecided has another goal.  They hold for a stable  *)
(* primary: a Normal one while a replication quorum of replicas is up and  *)
(* none of that is past its view.                                          *)
(***************************************************************************)
Stable(p) ==
  LET r == replica[p] IN
  /\ failed = "no"
  /\ r.status = "Normal" /\ Leads(Now, p)
  /\ Cardinality({j \in Replicas : replica[j].status # "Stopped" /\ replica[j].view <= r.view}) >= ReplicationQuorum

\* An op that its primary has seen acked by a replication quorum is eventually committed.
QuorumAckedCommits ==
  \A op \in Ops : []<>~\E p \in Replicas :
    Stable(p) /\ op > replica[p].commit_max /\ op <= replica[p].op /\ HasQuorum(replica[p], op)

\* As the last one, but what ends it is that somebody commits the op, or that no primary keeps
\* a quorum.
AckedLeadsToDecided ==
  \A op \in Ops :
    (\E p \in Replicas :
       Stable(p) /\ op > replica[p].commit_max /\ op <= replica[p].op /\ HasQuorum(replica[p], op))
    ~> (decided[op] # None \/ ~\E p \in Replicas : Stable(p))

\* An op that its primary has prepared is eventually committed.
EveryPreparedCommits ==
  \A op \in Ops : []<>~\E p \in Replicas :
    Stable(p) /\ op > replica[p].commit_max /\ op <= replica[p].op

\* A primary eventually applies what is committed, and a live backup what its primary has
\* applied: not less, where equal would be too much, as the backup may know of more.
BackupsCatchUp ==
  \A i \in Replicas : []<>~\E p \in Replicas :
    /\ Stable(p)
    /\ \/ p = i /\ replica[p].commit_min < replica[p].commit_max
       \/ /\ replica[i].status # "Stopped" /\ replica[i].view <= replica[p].view
          /\ replica[i].commit_min < replica[p].commit_min

\* A view change that a quorum has joined is eventually decided.
VotesDecide ==
  \A p \in Replicas : []<>~(
    /\ failed = "no"
    /\ replica[p].status = "ViewChange" /\ Leads(Now, p) /\ ~replica[p].parked
    /\ Cardinality({j \in Replicas : replica[j].status = "ViewChange" /\ replica[j].view = replica[p].view})
         >= ViewChangeQuorum)

(***************************************************************************)
(* Constraints: bounds on the search, which put faults or requests in      *)
(* order.                                                                  *)
(***************************************************************************)

\* Nobody leaves view 0 before the crashes are used up.
RestartFirst == crashes_used = crashes \/ \A i \in Replicas : replica[i].view = 0

\* Nobody stops before some replica has reached the last view.
StopLast == stops_used = 0 \/ \E i \in Replicas : Live(i) /\ replica[i].view = view_max

\* Every body held at an op below the last one was first prepared in view 0.
InheritedLog == \A i \in Replicas : \A op \in 1..ops - 1 : replica[i].journal[op] <= 0

\* Replica 0 never learns that view 0 is over.
DeposedStays == replica[0].status = "Stopped" \/ (replica[0].status = "Normal" /\ replica[0].view = 0)
=============================================================================
