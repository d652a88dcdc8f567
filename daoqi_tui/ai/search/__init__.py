"""Tree search: the common part, RAVE over playouts, and PUCT with a network."""
