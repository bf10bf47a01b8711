"""What needs a person, and telling that person once."""
