"""The paper, reproduced: tasks -> records -> claims and one page. `expected.toml` has what it printed."""
