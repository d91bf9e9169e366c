"""What each lesson shows and asks: pages/NN_name.py takes it from `name` here."""
