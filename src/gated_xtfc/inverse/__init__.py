"""Unknown parameters from noisy data: observations -> forward map with sensitivities -> posterior.

p(parameters | data) ~ p(data | solution of the equation at these parameters) p(parameters)
"""
