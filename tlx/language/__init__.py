"""What a kernel author calls; one file per concept."""
