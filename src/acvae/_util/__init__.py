"""What every room may use: checks at the door, files, text, threads, progress."""
