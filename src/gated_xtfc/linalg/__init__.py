"""Least squares and linear systems, each factorised once and then solved for as many right sides as needed."""
