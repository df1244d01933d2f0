"""Equations as linear operators: linearised exactly, and their symbol."""
