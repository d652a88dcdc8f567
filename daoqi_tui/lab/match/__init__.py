"""Matches between computers, with a log that resumes."""
