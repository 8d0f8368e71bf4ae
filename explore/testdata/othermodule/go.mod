module example.org/jugs

go 1.26.0

require vsrcheck v0.0.0

replace vsrcheck => ../../..
