"""The application without a screen: sessions, seats, players, records, analysis, and their wording."""
