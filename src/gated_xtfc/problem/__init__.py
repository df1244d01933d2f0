"""What is to be solved, stated and checked: domain, equations, conditions, parameters. No numerics."""
