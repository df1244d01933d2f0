"""Searches over a few numbers when every evaluation is expensive."""
