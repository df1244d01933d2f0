"""Solutions as curves over a parameter: around folds, through branch points, and several at one value."""
