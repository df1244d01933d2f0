"""From a problem to a solution: predict, lay out, fit, certify, refine, until the tolerance is met or cannot be."""
