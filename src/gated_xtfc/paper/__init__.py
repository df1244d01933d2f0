"""The paper, reproduced: tasks -> records -> claims and one page.

`expected.toml` has what the paper printed, `prose.toml` what the report says.
"""
