"""What people start: the command line and, in `studio`, a local page. Nothing in the library imports from here.

`cli` takes the words of the command line, `arguments` reads them, and the module of the command, such as
`solve_command`, does what they ask for: `statement` makes them a problem, `display` shows how far the work is, `tables`
and `output` hand over what came of it.
"""
