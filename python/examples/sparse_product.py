"""Multiplies a matrix of which a fifth is not zero, and prints the chosen form."""

import numpy
import scipy.sparse

from loopwright import kernels

random = numpy.random.default_rng(1)
matrix = scipy.sparse.random_array((512, 384), density=0.2, format="csr", dtype=numpy.float32, rng=random)
plan = kernels.semi_sparse(matrix)
x = random.standard_normal(384, dtype=numpy.float32)
y = numpy.empty(512, dtype=numpy.float32)
plan.multiply(x, y)
print(f"{plan.nnz} elements in the form {plan.form}, {plan.nbytes >> 10} KiB")
assert numpy.allclose(y, matrix @ x, atol=1e-3)
