-- Two-phase commit, from TwoPhase.tla of Gray and Lamport ("Consensus on Transaction
-- Commit", 2006), with N resource managers. The script replaces the number.
--
-- Messages are never removed, and the Commit and Abort messages have been sent exactly
-- when tm says so. The resource managers are a range, not a scalarset: all states
-- count, not all up to symmetry. One record for each is faster than an array for each
-- field.

const N: 3;

type
  RM: 0..N-1;

var
  rms: array [RM] of record
    state: enum { working, prepared, committed, aborted };
    sent: boolean;     -- the Prepared message was sent
    received: boolean; -- and the transaction manager has it
  end;
  tm: enum { init, commit, abort };

startstate
begin
  for r: RM do
    rms[r].state := working;
    rms[r].sent := false;
    rms[r].received := false;
  end;
  tm := init;
end;

rule "TMCommit" tm = init & forall r: RM do rms[r].received end ==>
begin
  tm := commit;
end;

rule "TMAbort" tm = init ==>
begin
  tm := abort;
end;

ruleset r: RM do
  rule "TMRcvPrepared" tm = init & rms[r].sent ==>
  begin
    rms[r].received := true;
  end;

  rule "RMPrepare" rms[r].state = working ==>
  begin
    rms[r].state := prepared;
    rms[r].sent := true;
  end;

  rule "RMChooseToAbort" rms[r].state = working ==>
  begin
    rms[r].state := aborted;
  end;

  rule "RMRcvCommitMsg" tm = commit ==>
  begin
    rms[r].state := committed;
  end;

  rule "RMRcvAbortMsg" tm = abort ==>
  begin
    rms[r].state := aborted;
  end;
end;

invariant "Consistent"
  !(exists r: RM do rms[r].state = committed end & exists r: RM do rms[r].state = aborted end);
