"""The pipeline's steps on a rectangle: tensor products of two gated axes, Sylvester and GMRES."""
