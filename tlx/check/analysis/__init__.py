"""What TTGIR says without being run: expressions of integers, views of buffers, how often ops execute."""
