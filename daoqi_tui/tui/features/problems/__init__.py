"""Problems: solving them, setting up positions, and making problems of those."""
