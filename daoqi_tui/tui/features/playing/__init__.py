"""Playing: moves, the count and the result, teach mode, and the computer players."""
