"""Lets a checkout on PYTHONPATH import `tlx_kernels`; an installation maps the folder `kernels/` itself (setup.py)."""

from pathlib import Path

__path__ = [str(Path(__file__).parent / "kernels")]
