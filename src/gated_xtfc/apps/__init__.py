"""What people start: the command line. Nothing in the library imports from here."""
