"""The command line: one module per group of subcommands, imported when one of them is called."""
