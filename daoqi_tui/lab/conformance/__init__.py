"""Cases with known answers for any program that plays torus Go: what makes them, and what asks an engine over GTP."""
