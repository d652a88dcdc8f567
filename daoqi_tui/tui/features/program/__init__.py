"""The program: its options, the menu of commands, help, and leaving."""
