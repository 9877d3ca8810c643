"""The meaning of every op, one file for each concept; importing the package registers them all."""
