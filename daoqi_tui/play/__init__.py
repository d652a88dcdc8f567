"""The application without a screen: sessions, seats, players, records, advice, and their wording."""
