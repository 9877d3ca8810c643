"""Functions of CUDA's libdevice."""
