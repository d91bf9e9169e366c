"""What every lesson is made of and how it is played."""
