"""Text to programs: tokens, precedence, elementary functions, dual numbers. No eval, nothing that a file could run."""
