"""KataGo networks: file formats, input features, and running them on the torus."""
