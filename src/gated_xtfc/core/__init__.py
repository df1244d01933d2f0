"""The compiled core: linear systems on elements, and polynomials on them. Optional: all of it has a NumPy twin."""
