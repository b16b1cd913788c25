"""What is trained: one family of models a file."""
