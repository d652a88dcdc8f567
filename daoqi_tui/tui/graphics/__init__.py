"""Boards as real pictures: in terminals, by the kitty graphics protocol or as Sixel, and in exported files."""
