"""From coordinates to unknowns: kernels, sites, conditions built in, rows."""
