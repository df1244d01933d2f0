"""What comes out: functions that know how good they are."""
