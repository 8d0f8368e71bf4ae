---- MODULE toy_trace ----
\* P (liveness) of toy: ops -> commit & <so on>
\* Check it with TLC: java -cp tla2tools.jar tlc2.TLC -deadlock -config toy_trace.cfg toy_trace
\* where toy_trace.cfg has the line SPECIFICATION Spec.
EXTENDS Integers, Sequences, TLC

VARIABLES position, replica, net, by_name

vars == <<position, replica, net, by_name>>

\* Found within CONSTRAINT C.

\* The configuration and the rules of the run.
Config == [
  ops |-> 2,
  who |-> {0, 1}
]

Rules == [
  rule |-> "old"
]

\* The actions: Actions[i] leads to Trace[i].
Actions == <<
  "Init",
  "Request(replica 0)",
  "Receive(replica 1, M{op 1})"
>>

Trace == <<
  \* 1: the initial state
  [ replica |->
        ( 0 :> [status |-> "Normal", log |-> <<0, 10>>, up |-> TRUE] @@
          1 :> [status |-> "\"a\\b\"", log |-> <<2, 10>>, up |-> FALSE] ),
    net |-> {[to |-> 0, op |-> 7], [to |-> 1, op |-> 0]},
    by_name |-> ("x" :> {0}) ],
  \* 2: Request(replica 0)
  [ replica |->
        ( 0 :> [status |-> "Normal", log |-> <<1, 10>>, up |-> TRUE] @@
          1 :> [status |-> "\"a\\b\"", log |-> <<2, 10>>, up |-> FALSE] ),
    net |-> {[to |-> 0, op |-> 7], [to |-> 1, op |-> 1]},
    by_name |-> ("x" :> {1}) ],
  \* 3: Receive(replica 1, M{op 1})
  [ replica |->
        ( 0 :> [status |-> "Normal", log |-> <<0, 10>>, up |-> TRUE] @@
          1 :> [status |-> "\"a\\b\"", log |-> <<2, 10>>, up |-> FALSE] ),
    net |-> {[to |-> 0, op |-> 7], [to |-> 1, op |-> 0]},
    by_name |-> ("x" :> {0}) ]
>>

Init ==
  /\ position = 1
  /\ replica = Trace[1].replica
  /\ net = Trace[1].net
  /\ by_name = Trace[1].by_name

Next ==
  /\ position < Len(Trace)
  /\ position' = position + 1
  /\ replica' = Trace[position'].replica
  /\ net' = Trace[position'].net
  /\ by_name' = Trace[position'].by_name

Spec == Init /\ [][Next]_vars
====
