"""From a problem to a solution: predict, lay out, fit, certify and refine until the tolerance is met or cannot be."""
