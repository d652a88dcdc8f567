"""Neural networks in numpy: weights, convolutions, files, and evaluation in batches."""
