# Reads the raw figures of run.sh and prints one table for each case.

function median(list,    v, n, i, j, t) {
	n = split(list, v, " ")
	for (i = 2; i <= n; i++) {
		t = v[i] + 0
		for (j = i - 1; j > 0 && v[j] + 0 > t; j--) v[j + 1] = v[j]
		v[j + 1] = t
	}
	return n % 2 ? v[(n + 1) / 2] + 0 : (v[n / 2] + v[n / 2 + 1]) / 2
}

# ratio is the median of a list, and "-" if there was nothing of ours to compare with.
function ratio(list) {
	return list == "" ? "-" : sprintf("%.2f", median(list))
}

function thousands(x,    s) {
	s = sprintf("%.0f", x)
	while (match(s, /[0-9][0-9][0-9][0-9]($|,)/)) s = substr(s, 1, RSTART) "," substr(s, RSTART + 1)
	return s
}

{
	row = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
	if (!(row in states)) {
		rows[++count] = row
		states[row] = $6
		transitions[row] = $7
	}
	rounds[row] = rounds[row] " " $5
	seconds[row] = seconds[row] " " $8
	cpu[row] = cpu[row] " " $9
	peak[row] = peak[row] " " $10
	store[row] = $11
	if ($2 == "ours") {
		our_seconds[$1, $4, $5] = $8
		our_cpu[$1, $4, $5] = $9
		our_peak[$1, $4, $5] = $10
	}
	at_seconds[row, $5] = $8
	at_cpu[row, $5] = $9
	at_peak[row, $5] = $10
}

END {
	for (i = 1; i <= count; i++) {
		row = rows[i]
		split(row, key, SUBSEP)
		if (key[1] != last) {
			last = key[1]
			printf "\n## %s: %s distinct states\n\n", last, thousands(states[row])
			print "| checker | workers | transitions | seconds | CPU s | states/s | transitions/s | peak MiB | peak B/state | store B/state | time / ours | CPU / ours | peak / ours |"
			print "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
		}
		n = split(rounds[row], r, " ")
		times = cpus = peaks = ""
		for (j = 1; j <= n; j++) {
			if (!((key[1], key[4], r[j]) in our_seconds)) continue
			times = times " " at_seconds[row, r[j]] / our_seconds[key[1], key[4], r[j]]
			cpus = cpus " " at_cpu[row, r[j]] / our_cpu[key[1], key[4], r[j]]
			peaks = peaks " " at_peak[row, r[j]] / our_peak[key[1], key[4], r[j]]
		}
		s = median(seconds[row])
		p = median(peak[row])
		printf "| %s %s | %d | %s | %.2f | %.2f | %s | %s | %.0f | %.1f | %s | %s | %s | %s |\n", key[2], key[3], key[4],
			thousands(transitions[row]), s, median(cpu[row]), thousands(states[row] / s), thousands(transitions[row] / s),
			p / 1024, p * 1024 / states[row], store[row], ratio(times), ratio(cpus), ratio(peaks)
	}
}
