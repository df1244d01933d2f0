"""What comes out: functions with an estimate of their own error, and files of them."""
