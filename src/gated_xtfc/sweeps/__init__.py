"""Many members of one family: a design of points, a store that survives, workers that solve, a table of results."""
