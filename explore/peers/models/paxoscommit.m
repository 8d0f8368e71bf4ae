-- Paxos Commit, from PaxosCommit.tla of Gray and Lamport ("Consensus on Transaction
-- Commit", 2006), with 2 resource managers, 3 acceptors and the ballots 0 and 1.
--
-- With two ballots each message has at most one content, so the messages that were
-- sent, which are never removed, are variables. An acceptor's last vote is the last
-- message of phase 2b that it sent. The leader decides once, and not once for each
-- combination of majorities, as in TLC: fewer transitions, to the same states.

type
  RM: 0..1;
  Acceptor: 0..2;
  Ballot: 0..1;
  Value: enum { none, prepared, aborted };

var
  rms: array [RM] of record
    state: enum { working, ready, committed, gaveup };
    phase1a: boolean;               -- of ballot 1 was sent
    phase2a: array [Ballot] of Value;
    acc: array [Acceptor] of record
      mbal: Ballot;                 -- that it takes part in
      phase1b: enum { unsent, novote, voteprepared, voteaborted }; -- of ballot 1, its last vote
      phase2b: array [Ballot] of Value;
    end;
  end;
  commit, abort: boolean;           -- messages sent

function chosen(r: RM; v: Value): boolean;
begin
  return exists b: Ballot do
    (rms[r].acc[0].phase2b[b] = v & (rms[r].acc[1].phase2b[b] = v | rms[r].acc[2].phase2b[b] = v))
    | (rms[r].acc[1].phase2b[b] = v & rms[r].acc[2].phase2b[b] = v)
  end;
end;

startstate
begin
  clear rms;
  for r: RM do
    rms[r].state := working;
    for b: Ballot do rms[r].phase2a[b] := none; end;
    for a: Acceptor do
      rms[r].acc[a].phase1b := unsent;
      for b: Ballot do rms[r].acc[a].phase2b[b] := none; end;
    end;
  end;
  commit := false;
  abort := false;
end;

rule "DecideCommit" chosen(0, prepared) & chosen(1, prepared) ==>
begin
  commit := true;
end;

rule "DecideAbort" chosen(0, aborted) | chosen(1, aborted) ==>
begin
  abort := true;
end;

ruleset r: RM do
  rule "RMPrepare" rms[r].state = working ==>
  begin
    rms[r].state := ready;
    rms[r].phase2a[0] := prepared;
  end;

  rule "RMChooseToAbort" rms[r].state = working ==>
  begin
    rms[r].state := gaveup;
    rms[r].phase2a[0] := aborted;
  end;

  rule "RMRcvCommitMsg" commit ==>
  begin
    rms[r].state := committed;
  end;

  rule "RMRcvAbortMsg" abort ==>
  begin
    rms[r].state := gaveup;
  end;

  rule "Phase1a" true ==>
  begin
    rms[r].phase1a := true;
  end;

  -- The majority is all acceptors but one. Those that voted did so in ballot 0, and all
  -- alike.
  ruleset but: Acceptor do
    rule "Phase2a" rms[r].phase2a[1] = none
      & forall a: Acceptor do a = but | rms[r].acc[a].phase1b != unsent end ==>
    begin
      if exists a: Acceptor do a != but & rms[r].acc[a].phase1b = voteprepared end then
        rms[r].phase2a[1] := prepared;
      else
        rms[r].phase2a[1] := aborted;
      end;
    end;
  end;

  ruleset a: Acceptor do
    rule "Phase1b" rms[r].phase1a & rms[r].acc[a].mbal = 0 ==>
    begin
      rms[r].acc[a].mbal := 1;
      switch rms[r].acc[a].phase2b[0]
        case none: rms[r].acc[a].phase1b := novote;
        case prepared: rms[r].acc[a].phase1b := voteprepared;
        case aborted: rms[r].acc[a].phase1b := voteaborted;
      end;
    end;

    ruleset b: Ballot do
      rule "Phase2b" rms[r].phase2a[b] != none & rms[r].acc[a].mbal <= b ==>
      begin
        rms[r].acc[a].mbal := b;
        rms[r].acc[a].phase2b[b] := rms[r].phase2a[b];
      end;
    end;
  end;
end;

invariant "Consistent"
  !(exists r: RM do rms[r].state = committed end & exists r: RM do rms[r].state = gaveup end);
