"""The version of tlx, read by setup.py without importing Triton."""

__version__ = "0.1.0"
