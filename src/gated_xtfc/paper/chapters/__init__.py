"""The sections of the report in words: records -> tables, figures with captions, and where it differs."""
