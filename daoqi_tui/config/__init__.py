"""Settings: their schema, loading them, and saving changes to the settings file."""
