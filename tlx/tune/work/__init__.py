"""What other processes do for the autotuner: compile, launch, check and time one config at a time."""
