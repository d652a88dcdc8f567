"""A game in lines of text, on standard input and output: for screen readers, slow lines and scripts."""
