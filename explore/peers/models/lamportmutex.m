-- The mutual exclusion algorithm of Lamport's "Time, Clocks, and the Ordering of Events
-- in a Distributed System" (1978), from lamport_mutex/LamportMutex.tla, with 3
-- processes and clocks up to 6.
--
-- A step that leads beyond the greatest clock is not enabled, whereas TLC generates it
-- and does not count its state, so there are fewer transitions.

const
  MaxClock: 6;
  Capacity: 3;
  Ack: 7; -- a message is the clock of a request, or one of these; 0 is none
  Rel: 8;

type
  Process: 0..2;
  Clock: 0..MaxClock;
  Message: 0..Rel;
  Slot: 0..Capacity-1;

var
  procs: array [Process] of record
    clock: Clock;
    request: array [Process] of Clock; -- clocks of the requests as far as it knows, 0 for none
    ack: array [Process] of boolean;
    critical: boolean;
    net: array [Process] of array [Slot] of Message; -- to each process, the oldest first
  end;

procedure send(from: Process; dest: Process; m: Message);
begin
  assert procs[from].net[dest][Capacity-1] = 0 "BoundedNetwork";
  if procs[from].net[dest][0] = 0 then
    procs[from].net[dest][0] := m;
  elsif procs[from].net[dest][1] = 0 then
    procs[from].net[dest][1] := m;
  else
    procs[from].net[dest][2] := m;
  end;
end;

procedure broadcast(from: Process; m: Message);
begin
  for q: Process do
    if q != from then send(from, q, m); end;
  end;
end;

procedure take(from: Process; dest: Process);
begin
  procs[from].net[dest][0] := procs[from].net[dest][1];
  procs[from].net[dest][1] := procs[from].net[dest][2];
  procs[from].net[dest][2] := 0;
end;

startstate
begin
  clear procs;
  for p: Process do procs[p].clock := 1; end;
end;

ruleset p: Process do
  rule "Request" procs[p].request[p] = 0 ==>
  begin
    procs[p].request[p] := procs[p].clock;
    broadcast(p, procs[p].clock);
    for q: Process do procs[p].ack[q] := q = p; end;
  end;

  rule "Enter"
    forall q: Process do procs[p].ack[q] end
    & forall q: Process do
      q = p | procs[p].request[q] = 0 | procs[p].request[p] < procs[p].request[q]
      | (procs[p].request[p] = procs[p].request[q] & p < q)
    end ==>
  begin
    procs[p].critical := true;
  end;

  rule "Exit" procs[p].critical ==>
  begin
    procs[p].critical := false;
    broadcast(p, Rel);
    procs[p].request[p] := 0;
    for q: Process do procs[p].ack[q] := false; end;
  end;

  ruleset q: Process do
    rule "ReceiveRequest"
      procs[q].net[p][0] != 0 & procs[q].net[p][0] < Ack
      & procs[q].net[p][0] < MaxClock & procs[p].clock < MaxClock ==>
    begin
      procs[p].request[q] := procs[q].net[p][0];
      if procs[p].request[q] > procs[p].clock then
        procs[p].clock := procs[p].request[q] + 1;
      else
        procs[p].clock := procs[p].clock + 1;
      end;
      take(q, p);
      send(p, q, Ack);
    end;

    rule "ReceiveAck" procs[q].net[p][0] = Ack ==>
    begin
      take(q, p);
      procs[p].ack[q] := true;
    end;

    rule "ReceiveRelease" procs[q].net[p][0] = Rel ==>
    begin
      take(q, p);
      procs[p].request[q] := 0;
    end;
  end;
end;

invariant "Mutex"
  forall p: Process do forall q: Process do p = q | !procs[p].critical | !procs[q].critical end end;
