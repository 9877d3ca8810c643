"""Every public name says what it means: what packages export, and the members of exported classes."""

import importlib
import inspect
import pkgutil

import pytest

import tlx_kernels

KERNELS = [module.name for module in pkgutil.walk_packages(tlx_kernels.__path__, "tlx_kernels.")]
PACKAGES = [
    "tlx",
    "tlx.bench",
    "tlx.check",
    "tlx.errors",
    "tlx.ir",
    "tlx.sim",
    "tlx.tune",
    "tlx.tune.database",
    *KERNELS,
]


def exports(package: str) -> dict[str, object]:
    """What a package exports; skips where a name of it needs torch and there is none."""
    try:
        module = importlib.import_module(package)
        return {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
        pytest.skip("needs torch")


def own_doc(value: object) -> str:
    """The docstring of the thing itself: a class doesn't speak for its children, nor `str` for a constant."""
    value = getattr(value, "fn", value)  # a jitted function's docstring is the Python function's
    if isinstance(value, type):
        return vars(value).get("__doc__") or ""
    return inspect.getdoc(value) or ""


def is_documentable(value: object) -> bool:
    return callable(value) or inspect.ismodule(value)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_package_and_its_names(package):
    names = exports(package)
    assert inspect.getdoc(importlib.import_module(package))
    assert [name for name, value in names.items() if is_documentable(value) and not own_doc(value)] == []


def introduced(kind: type) -> dict[str, object]:
    """The public functions and properties that a class adds to those of its bases."""
    inherited = {name for base in kind.__mro__[1:] for name in vars(base)}
    members = {name: m for name, m in vars(kind).items() if name[0] != "_" and name not in inherited}
    return {n: m for n, m in members.items() if callable(m) or isinstance(m, property | classmethod | staticmethod)}


@pytest.mark.parametrize("package", ["tlx", "tlx.bench", "tlx.ir", "tlx.sim", *KERNELS])
def test_members_of_classes(package):
    classes = [value for value in exports(package).values() if isinstance(value, type)]
    names = [f"{c.__name__}.{name}" for c in classes for name, m in introduced(c).items() if not inspect.getdoc(m)]
    assert names == []


def test_a_missing_docstring_is_seen():
    class Silent:
        def method(self): ...

    class Child(Silent):
        """Says something."""

        def method(self): ...

        @property
        def silent(self): ...

    assert own_doc(Silent) == ""
    assert [name for name, member in introduced(Silent).items() if not inspect.getdoc(member)] == ["method"]
    assert [name for name, member in introduced(Child).items() if not inspect.getdoc(member)] == ["silent"]
