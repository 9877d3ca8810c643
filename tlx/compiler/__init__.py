"""From a tlx-jitted Python function to TTGIR that the stock Triton back end compiles."""
