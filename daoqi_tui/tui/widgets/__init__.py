"""What a screen is made of; widgets are given values and post messages, and know no rule."""
