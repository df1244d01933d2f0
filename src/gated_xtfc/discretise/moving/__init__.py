"""Functions of x and t on sites that travel with the layers."""
