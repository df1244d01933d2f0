"""What others would use: solvers to compare with, each returning a Surrogate."""
