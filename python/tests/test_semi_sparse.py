"""Semi-sparse products of matrices from scipy, against scipy."""

import numpy
import pytest
import scipy.io
import scipy.sparse

from loopwright import kernels

FORMS = ["model", "measure", "tiles", "windows", "sell", "csr", "dense"]


def matrix(rows, cols, density, dtype):
    random = numpy.random.default_rng(rows)
    dense = random.integers(-50, 50, (rows, cols)).astype(dtype)
    dense[random.random((rows, cols)) >= density] = 0
    return scipy.sparse.csr_array(dense)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_products_are_scipys(form, dtype):
    for rows, cols, density in ((0, 0, 0), (1, 1, 1), (37, 65, 0.2), (128, 96, 0.5)):
        a = matrix(rows, cols, density, dtype)
        plan = kernels.semi_sparse(a, form=form)
        assert (plan.shape, plan.nnz) == ((rows, cols), a.nnz)
        kind_x, kind_y = plan.dtypes
        x = numpy.arange(cols).astype(kind_x)
        # Integers that every type can represent: sums are exact in any order.
        expected = (a.astype("f8") @ x).astype(kind_y)
        for isa in (None, *kernels.isa_available()):
            y = numpy.full(rows, 7, dtype=kind_y)
            plan.multiply(x, y, isa=isa)
            assert (y == expected).all()
            plan.multiply(x, y, add=True, isa=isa)
            assert (y == 2 * expected).all()
        batch = numpy.tile(x, (5, 1))
        y = numpy.zeros((5, rows), dtype=kind_y)
        plan.multiply(batch, y, count=5)
        assert (y == expected).all()
        if form not in ("model", "measure"):
            assert plan.form == form


def test_both_kinds_of_indices_are_read():
    a = matrix(20, 30, 0.3, "f4")
    wide = kernels.SemiSparse(a.shape, a.indptr.astype("i8"), a.indices.astype("i8"), a.data, form="csr")
    assert wide.nnz == a.nnz


def test_the_form_suits_the_number_of_vectors():
    # Compressed rows multiply several vectors side by side, the other forms one after the other.
    a = matrix(512, 512, 0.01, "f8")
    one, eight = (kernels.semi_sparse(a, vectors=vectors, isa="scalar") for vectors in (1, 8))
    assert (one.form, eight.form) == ("tiles", "csr")
    x, y = numpy.ones((8, 512)), numpy.zeros((8, 512))
    eight.multiply(x, y, count=8)
    assert (y == a.sum(axis=1)).all()


def test_refusals():
    a = matrix(20, 30, 0.3, "f4")
    plan = kernels.semi_sparse(a)
    x, y = numpy.zeros(30, "f4"), numpy.zeros(20, "f4")
    with pytest.raises(ValueError, match="x has 29 elements where the matrix needs 30"):
        plan.multiply(x[:29], y)
    with pytest.raises(ValueError, match="y has 20 elements where the matrix needs 40"):
        plan.multiply(numpy.zeros(60, "f4"), y, count=2)
    with pytest.raises(TypeError, match="x does not consist of aligned float32"):
        plan.multiply(x.astype("f8"), y)
    with pytest.raises(BufferError, match="x and y overlap"):
        plan.multiply(x, x[:20])
    with pytest.raises(BufferError, match="y is read-only"):
        plan.multiply(x, bytes(80))
    with pytest.raises(ValueError, match="vectors is 0; plan for at least one"):
        kernels.semi_sparse(a, vectors=0)
    with pytest.raises(ValueError, match="use one of: model, measure"):
        kernels.semi_sparse(a, form="fast")
    for shape, indptr, indices, text in (
        ((20, 3), a.indptr, a.indices, "columns count from 0"),
        ((19, 30), a.indptr, a.indices, "row pointers: there are 21; pass 20"),
        ((20, 30), a.indptr, -a.indices, "indices has the number -"),
        ((20, 30), a.indptr, a.indices[:-1], "pass one for each"),
        ((2**40, 30), a.indptr, a.indices, "is too large"),
    ):
        with pytest.raises(ValueError, match=text):
            kernels.SemiSparse(shape, indptr, indices, a.data)
    for other in ("csc", "coo", "bsr", "lil"):
        with pytest.raises(TypeError, match=rf"in the format {other}; pass it in compressed rows \(matrix.tocsr"):
            kernels.semi_sparse(a.asformat(other))
    with pytest.raises(TypeError, match="not a matrix in compressed rows"):
        kernels.semi_sparse(a.toarray())
    with pytest.raises(TypeError, match="data does not consist of aligned float32, float64 or int16"):
        kernels.semi_sparse(a.astype("i4"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_matrix_market_files_are_read(dtype, tmp_path):
    a = matrix(37, 65, 0.2, dtype)
    path = tmp_path / "a.mtx"
    scipy.io.mmwrite(path, a)
    plan = kernels.SemiSparse.from_matrix_market(path, dtype)
    x, y = numpy.arange(65).astype(dtype), numpy.zeros(37, plan.dtypes[1])
    plan.multiply(x, y)
    assert plan.nnz == a.nnz and (y == a.astype("f8") @ x).all()
    with pytest.raises(FileNotFoundError, match="none.mtx: cannot be read"):
        kernels.SemiSparse.from_matrix_market(tmp_path / "none.mtx", dtype)
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n")
    with pytest.raises(ValueError, match="a.mtx: line 3: "):
        kernels.SemiSparse.from_matrix_market(path, dtype)
    with pytest.raises(ValueError, match="use float32, float64 or int16"):
        kernels.SemiSparse.from_matrix_market(path, "int8")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("form", FORMS[2:])
def test_plans_are_stored(dtype, form):
    a = matrix(37, 65, 0.2, dtype)
    plan = kernels.semi_sparse(a, form=form)
    stored = plan.to_bytes()
    loaded = kernels.SemiSparse.from_bytes(memoryview(stored))
    assert (loaded.form, loaded.shape, loaded.dtypes) == (form, plan.shape, plan.dtypes)
    x = numpy.arange(65).astype(dtype)
    y, z = (numpy.zeros(37, plan.dtypes[1]) for _ in range(2))
    plan.multiply(x, y)
    loaded.multiply(x, z)
    assert (y == z).all()
    for damaged in (b"", stored[:-1], stored[:60] + bytes([stored[60] ^ 1]) + stored[61:]):
        with pytest.raises(ValueError, match="the stored matrix cannot be loaded: "):
            kernels.SemiSparse.from_bytes(damaged)
