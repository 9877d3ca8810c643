"""Distribution `triton-tlx`: imports as `tlx` and `tlx_kernels`. Tool settings are in pyproject.toml."""

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent


def version() -> str:
    """The version, without importing `tlx`: that would need Triton while building."""
    return re.search(r'__version__ = "(.+)"', (ROOT / "tlx" / "version.py").read_text())[1]


def packages() -> list[str]:
    """`tlx` and its subpackages, and the folder `kernels/` under its installed name `tlx_kernels`."""
    kernels = ["tlx_kernels", *(f"tlx_kernels.{name}" for name in find_packages("kernels"))]
    return [*find_packages(include=["tlx", "tlx.*"]), *kernels]


setup(
    name="triton-tlx",
    version=version(),
    description="Explicit warp specialization (TLX) for Triton in pure Python, with a kernel library and a simulator",
    long_description=(ROOT / "README.md").read_text(),
    long_description_content_type="text/markdown",
    python_requires=">=3.10",
    packages=packages(),
    package_dir={"tlx_kernels": "kernels"},
    package_data={"tlx.ir": ["grammar.lark"], "tlx.tune.database": ["*.sql"]},
    install_requires=["triton>=3.6,<3.10", "lark>=1.1", "numpy>=2.0", "ml_dtypes>=0.5", "rich>=13"],
    extras_require={
        "kernels": ["torch>=2.6"],
        "plots": ["matplotlib>=3.7"],
        "test": ["pytest>=8", "pytest-xdist>=3", "hypothesis>=6", "ruff>=0.17.6,<0.18"],
    },
    entry_points={"console_scripts": ["tlx = tlx.__main__:main"]},
    classifiers=[
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3",
        "Topic :: Software Development :: Compilers",
    ],
)
