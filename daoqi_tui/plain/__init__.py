"""Text mode, on standard input and output: for screen readers, slow connections and scripts."""
