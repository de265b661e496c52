"""loopwright's kernels for Python: see loopwright.kernels."""
