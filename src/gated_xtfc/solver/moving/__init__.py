"""Evolution equations u_t = F(x, t, u, u_x, u_xx) in a coordinate that moves with the layers."""
