"""The kernel library: each folder holds one operation, its plain-Triton twin, a reference and a host entry.

It is imported as `tlx_kernels`.
"""

if __name__ == "kernels":
    raise ImportError("this package is imported as `tlx_kernels`; as `kernels` every kernel would exist twice")
