"""The package as a whole: its types, its examples."""

import pathlib
import subprocess
import sys

import pytest

import loopwright
from loopwright import kernels

PYTHON = pathlib.Path(__file__).parent.parent
EXAMPLES = sorted((PYTHON / "examples").glob("*.py"))


def run(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_stubs_are_what_the_module_is(tmp_path):
    # PyO3 makes `__all__` from the contents of the module; only loopwright.kernels is imported by name.
    beside = tmp_path / "allowed"
    beside.write_text("loopwright._native.__all__\n")
    configuration = ["--mypy-config-file", str(PYTHON / "pyproject.toml")]
    run("-m", "mypy.stubtest", "loopwright._native", "--allowlist", str(beside), *configuration)


def test_types_are_sound(tmp_path):
    package = pathlib.Path(loopwright.__file__).parent
    assert (package / "py.typed").exists()
    # The sources in the checkout: below site-packages every other package would seem to belong to them.
    sources = [str(PYTHON / "loopwright"), *map(str, EXAMPLES)]
    configuration = ["--config-file", str(PYTHON / "pyproject.toml"), "--cache-dir", str(tmp_path)]
    # Only from this version on NumPy declares that an array is a buffer.
    run("-m", "mypy", "--python-version", "3.12", *configuration, *sources)


def test_every_name_is_exported_and_explained():
    for name in kernels.__all__:
        assert getattr(kernels, name).__doc__, f"{name} has no text"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(example):
    assert run(str(example))
