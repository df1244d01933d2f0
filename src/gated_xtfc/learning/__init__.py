"""Learning from sweeps: which gates, how many neurons and what start suit a member of the family never seen before."""
