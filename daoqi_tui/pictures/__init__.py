"""Pictures of boards: colours, positions as text, SVG, PNG and GIF, and the torus in space."""
