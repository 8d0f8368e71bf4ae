#!/usr/bin/env bash
# Runs the engine and two other explicit-state model checkers, Spin and Rumur, in turn
# on the same models, checks that all counts agree, and writes results.md and
# results.tsv beside itself. README.md says what is compared and why it is fair.
#
#   ROUNDS=5 CASES="twophase/8 twophase/9 paxoscommit/2 lamportmutex/3" ./run.sh
#
# It needs Go; the other tools are installed by apt-get when they are missing.
set -euo pipefail
cd "$(dirname "$0")"

ROUNDS=${ROUNDS:-5}
CASES=${CASES:-"twophase/8 twophase/9 paxoscommit/2 lamportmutex/3"}

# The distinct states of each case, as published for TLC, and its transitions: TLC's
# without the initial state where they were published, otherwise those on which the
# checkers agree.
declare -A STATES=(
  [twophase/3]=288 [twophase/6]=50816 [twophase/8]=1745408 [twophase/9]=10340352
  [paxoscommit/2]=1321761 [lamportmutex/3]=724274
)
declare -A TRANSITIONS=(
  [twophase/3]=1145 [twophase/6]=402305 [twophase/8]=18507777 [twophase/9]=123558401
  [paxoscommit/2]=16959158 [lamportmutex/3]=2729078
)
# The models of the peers leave out steps that add no state; each model says which.
declare -A PEER_TRANSITIONS=([paxoscommit/2]=15242978 [lamportmutex/3]=2496350)

# Every case is first built and run at this size, where a mistake shows at once.
SMOKE="twophase/3 twophase/6"

# What runs: tool, variant and workers. The ratios need ours with as many workers.
RUNNERS=${RUNNERS:-"
ours exact 1
ours exact 2
spin dfs 1
spin dfs-collapse 1
spin dfs-automaton 1
spin bfs 1
rumur default 1
rumur default 2
rumur no-trace 1
rumur no-trace 2
"}

# Spin's options without which it is slower or larger on these models, measured. There
# is one process, so partial-order reduction has nothing to reduce.
GCC_SPIN="gcc -w -O3 -march=native -DSAFETY -DNOREDUCE -DNOFAIR -DNOBOUNDCHECK"
GCC_RUMUR="gcc -w -std=c11 -O3 -march=native -pthread"
[ "$(uname -m)" = x86_64 ] && GCC_RUMUR+=" -mcx16"
RUMUR="rumur --quiet --symmetry-reduction off --deadlock-detection off"

fail() {
  printf 'run.sh: %s\n' "$*" >&2
  exit 1
}

install_tools() {
  local missing=()
  for tool in spin rumur gcc time; do
    type -P "$tool" >/dev/null || missing+=("$tool")
  done
  type -P gcc >/dev/null || missing+=(libc6-dev)
  [ ${#missing[@]} -eq 0 ] && return
  type -P apt-get >/dev/null || fail "missing: ${missing[*]}, and there is no apt-get to install them"
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get install -y --no-install-recommends "${missing[@]}"
}

# hash_bits N is the smallest table of Spin, as a power of two, with a slot per state.
hash_bits() {
  local bits=10
  while [ $((1 << bits)) -lt "$1" ]; do bits=$((bits + 1)); done
  echo "$bits"
}

# build CASE makes every checker of a case, in $tmp/CASE.
build() {
  local model=${1%/*} n=${1#*/} dir=$tmp/$1 here=$PWD
  mkdir -p "$dir"
  (
    cd "$dir"
    spin -a -DN="$n" "$here/models/$model.pml"
    # -DMA is the length of the state vector, which Spin prints.
    $GCC_SPIN -DSPACE -o spin-dfs pan.c
    $GCC_SPIN -DCOLLAPSE -o spin-dfs-collapse pan.c
    $GCC_SPIN -DBFS -o spin-bfs pan.c
    $GCC_SPIN -DMA="$(./spin-dfs -n -m1 | awk '/^State-vector/ { print $2 }')" -o spin-dfs-automaton pan.c

    sed "s/^const N: .*/const N: $n;/" "$here/models/$model.m" >model.m
    for workers in 1 2; do
      $RUMUR --threads $workers -o default.c model.m
      $RUMUR --threads $workers --counterexample-trace off --scalarset-schedules off -o no-trace.c model.m
      for variant in default no-trace; do
        $GCC_RUMUR -o rumur-$variant-$workers $variant.c -latomic
      done
    done
  ) || fail "$1: a checker could not be built"
}

# run CASE TOOL VARIANT WORKERS ROUND runs one checker, checks its counts, and adds a
# line to the raw figures. All times are taken from outside and include the start.
run() {
  local case=$1 tool=$2 variant=$3 workers=$4 round=$5
  local model=${case%/*} n=${case#*/} dir=$tmp/$case cmd
  case $tool in
    ours) cmd=("$tmp/ours" -model "$model" -n "$n" -workers "$workers" -store "$variant") ;;
    spin) cmd=("$dir/spin-$variant" -n -E -m10000 "-w$(hash_bits "${STATES[$case]}")") ;;
    rumur) cmd=("$dir/rumur-$variant-$workers") ;;
  esac
  local start=$EPOCHREALTIME
  # Spin leaves a trail in the current directory when it finds an error.
  (cd "$tmp" && "$(type -P time)" -f '%U %S %M' -o "$tmp/time" "${cmd[@]}") >"$tmp/out" 2>&1 ||
    { cat "$tmp/out" >&2 && fail "$case: $tool $variant failed"; }
  local end=$EPOCHREALTIME

  local states transitions own=-
  case $tool in
    ours)
      read -r states transitions own < <(awk -F'[= ]' '/^states=/ { print $2, $4, $10 }' "$tmp/out") ;;
    spin)
      grep -q 'errors: 0' "$tmp/out" && ! grep -qE 'not completed|max search depth' "$tmp/out" ||
        { cat "$tmp/out" >&2 && fail "$case: spin $variant did not complete"; }
      read -r states transitions < <(awk '/states, stored/ { s = $1 } /transitions \(/ { t = $1 } END { print s, t }' "$tmp/out") ;;
    rumur)
      grep -q 'No error found' "$tmp/out" || { cat "$tmp/out" >&2 && fail "$case: rumur $variant found an error"; }
      read -r states transitions < <(awk '/rules fired/ { s = $1; t = $3 } END { print s, t }' "$tmp/out") ;;
  esac
  [ "${states:-none}" = "${STATES[$case]}" ] ||
    fail "$case: $tool $variant, $workers workers: got ${states:-no number of} states, want ${STATES[$case]}"
  local want=${TRANSITIONS[$case]}
  [ "$tool" = ours ] || want=${PEER_TRANSITIONS[$case]:-$want}
  # Spin counts the initial state as a transition, and prints eight digits.
  if [ "$tool" = spin ] && [ "$transitions" = "$(printf '%.8g' $((want + 1)))" ]; then transitions=$want; fi
  [ "${transitions:-none}" = "$want" ] ||
    fail "$case: $tool $variant, $workers workers: got ${transitions:-no number of} transitions, want $want"

  local user kernel peak
  read -r user kernel peak < <(tail -n 1 "$tmp/time")
  awk -v OFS='\t' -v start="$start" -v end="$end" -v user="$user" -v kernel="$kernel" -v peak="$peak" \
    -v states="$states" -v transitions="$transitions" -v own="$own" \
    -v key="$case $tool $variant $workers $round" 'BEGIN {
      gsub(" ", "\t", key)
      print key, states, transitions, sprintf("%.3f", end - start), sprintf("%.2f", user + kernel), peak, own
    }' >>"$tmp/raw"
}

# run_all CASE ROUND runs every checker once.
run_all() {
  while read -r tool variant workers; do
    [ -z "$tool" ] && continue
    printf '%s, round %s: %s %s, workers %s\n' "$1" "$2" "$tool" "$variant" "$workers" >&2
    run "$1" "$tool" "$variant" "$workers" "$2"
  done <<<"$RUNNERS"
}

version() { "$@" 2>&1 | head -n 1; }

table() {
  echo "# The engine, Spin and Rumur on the same models"
  echo
  echo "Written by run.sh; README.md says what is compared. Medians (rounds: $ROUNDS); in each round"
  echo "every checker ran once, in turn. The ratios are medians of the ratios within a round,"
  echo "to ours with as many workers: above 1 means that ours is faster or smaller."
  echo
  echo "Environment: $cpu, $(nproc) cores, load $load when it began; $(version spin -V); $(version rumur --version);" \
    "$(version gcc --version); $(go env GOVERSION)."
  awk -F'\t' -f table.awk "$tmp/raw"
}

[[ $ROUNDS =~ ^[1-9][0-9]*$ ]] || fail "ROUNDS: got $ROUNDS, want a number above 0"
for case in $CASES; do
  [ -n "${STATES[$case]:-}" ] || fail "CASES: got $case, want some of: ${!STATES[*]}"
done
install_tools
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
go build -o "$tmp/ours" ./ours
cpu=$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)
load=$(cut -d' ' -f1 /proc/loadavg)

for case in $SMOKE; do
  build "$case"
  run_all "$case" 0
done
: >"$tmp/raw"
for case in $CASES; do
  [ -d "$tmp/$case" ] || build "$case"
  for round in $(seq "$ROUNDS"); do run_all "$case" "$round"; done
done

table >"$tmp/results.md"
{
  printf 'case\ttool\tvariant\tworkers\tround\tstates\ttransitions\tseconds\tcpu_seconds\tpeak_kib\tstore_bytes_per_state\n'
  cat "$tmp/raw"
} >"$tmp/results.tsv"
cp "$tmp/results.md" "$tmp/results.tsv" .
cat results.md
