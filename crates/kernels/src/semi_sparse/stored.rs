//! Plans as bytes: versioned, and checked when they are loaded.
//!
//! ```text
//! "LWSS"  version u32  element u8  form u8  rows u64  cols u64  nnz u64  Fletcher-64 of what follows u64
//! sections: each a count u64 and that many items
//!   tiles         strips u32, heads (column u32, slots u16, bits u8), lines of 64 bytes, then as SELL
//!   windows       bits u8, slots u16, strips u32, columns u32, lines of 64 bytes, then as SELL
//!   SELL-C-sigma  chunks u32, order u32, bits of a column u8 (16 or 32), columns, values
//!   CSR           bounds of rows u64, columns u32, values
//! ```
//!
//! All numbers are little-endian. The checksum finds bytes that changed; that the parts fit each other is checked
//! whatever it says, because products rely on it.

use super::dispatch::Element;
use super::element::Kind;
use super::error::SparseError;
use super::matrix::{SparseMatrix, check_size};
use super::plan::Form;
use super::product::{Body, SemiSparse};
use super::sell::{Columns, Sell};
use super::tiles::{Head, Line, Tiles};
use super::windows::{Shape, Windows};
use crate::fletcher::fletcher64;

const MAGIC: [u8; 4] = *b"LWSS";
const VERSION: u32 = 1;
/// Bytes before the sections.
pub const HEADER: usize = 42;

impl<T: Element> SemiSparse<T> {
    /// The plan as bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.bytes() + 256);
        match self.body() {
            Body::Tiles { tiles, left } => {
                put(&mut body, &tiles.strips, |strip| strip.to_le_bytes());
                put(&mut body, &tiles.heads, |head| {
                    let mut bytes = [0; 7];
                    bytes[..4].copy_from_slice(&head.column.to_le_bytes());
                    bytes[4..6].copy_from_slice(&head.slots.to_le_bytes());
                    bytes[6] = head.bits;
                    bytes
                });
                put(&mut body, &tiles.lines, |line| line.0);
                put_sell(&mut body, left);
            }
            Body::Windows { windows, left } => {
                body.push(windows.shape.bits);
                body.extend(windows.shape.slots.to_le_bytes());
                put(&mut body, &windows.strips, |strip| strip.to_le_bytes());
                put(&mut body, &windows.columns, |column| column.to_le_bytes());
                put(&mut body, &windows.lines, |line| line.0);
                put_sell(&mut body, left);
            }
            Body::Sell(sell) => put_sell(&mut body, sell),
            Body::Csr(matrix) => {
                put(&mut body, matrix.indptr(), |bound| (*bound as u64).to_le_bytes());
                put(&mut body, matrix.indices(), |column| column.to_le_bytes());
                put_values(&mut body, matrix.values());
            }
        }
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([T::KIND as u8, self.form() as u8]);
        for size in [self.rows(), self.cols(), self.nnz()] {
            bytes.extend((size as u64).to_le_bytes());
        }
        bytes.extend(fletcher64(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// A plan from bytes that [`to_bytes`](Self::to_bytes) made. Whatever else they are is refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SparseError> {
        load(bytes).map_err(|cause| SparseError::Stored { cause })
    }
}

/// The type of the elements of a stored plan.
pub fn stored_kind(bytes: &[u8]) -> Result<Kind, SparseError> {
    let kind = |bytes| {
        let mut header = Reader(bytes);
        opening(&mut header)?;
        let kind = header.number::<1>()?;
        Kind::ALL
            .into_iter()
            .find(|known| *known as u64 == kind)
            .ok_or("it has no type of elements that is known".to_owned())
    };
    kind(bytes).map_err(|cause| SparseError::Stored { cause })
}

/// What every stored plan begins with.
fn opening(header: &mut Reader<'_>) -> Result<(), String> {
    if header.take(4)? != MAGIC {
        return Err("it is no stored matrix".to_owned());
    }
    match header.number::<4>()? {
        version if version == u64::from(VERSION) => Ok(()),
        version => Err(format!("it has version {version} where {VERSION} is known")),
    }
}

fn load<T: Element>(bytes: &[u8]) -> Result<SemiSparse<T>, String> {
    let mut header = Reader(bytes);
    opening(&mut header)?;
    let kind = header.number::<1>()?;
    if kind != T::KIND as u64 {
        return Err(format!("its elements are not {}", T::KIND.name()));
    }
    let form = header.number::<1>()?;
    let form = Form::ALL.into_iter().find(|known| *known as u64 == form);
    let form = form.ok_or("it has a form that is not known")?;
    let mut size = || usize::try_from(header.number::<8>()?).map_err(|_| "it is too large".to_owned());
    let (rows, cols, nnz) = (size()?, size()?, size()?);
    check_size(rows, cols).map_err(|error| error.to_string())?;
    let sum = header.number::<8>()?;
    if sum != fletcher64(header.0) {
        return Err("bytes have changed since it was stored".to_owned());
    }

    let mut body = header;
    let loaded = match form {
        Form::Tiles | Form::Dense => {
            let strips = body.items::<4, _>(|bytes| u32::from_le_bytes(*bytes))?;
            let heads = body.items::<7, _>(|[a, b, c, d, e, f, bits]| Head {
                column: u32::from_le_bytes([*a, *b, *c, *d]),
                slots: u16::from_le_bytes([*e, *f]),
                bits: *bits,
            })?;
            let lines = body.items::<64, _>(|bytes| Line(*bytes))?;
            let tiles = Tiles::from_parts(rows, cols, strips, heads, lines)?;
            Body::Tiles { tiles, left: sell(&mut body, rows, cols)? }
        }
        Form::Windows => {
            let (bits, slots) = (body.number::<1>()? as u8, body.number::<2>()? as u16);
            let strips = body.items::<4, _>(|bytes| u32::from_le_bytes(*bytes))?;
            let columns = body.items::<4, _>(|bytes| u32::from_le_bytes(*bytes))?;
            let lines = body.items::<64, _>(|bytes| Line(*bytes))?;
            let windows = Windows::from_parts(rows, cols, Shape::new(bits, slots), strips, columns, lines)?;
            Body::Windows { windows, left: sell(&mut body, rows, cols)? }
        }
        Form::Sell => Body::Sell(sell(&mut body, rows, cols)?),
        Form::Csr => {
            let bounds = body.items::<8, _>(|bytes| u64::from_le_bytes(*bytes))?;
            let bounds = bounds.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
            let bounds = bounds.map_err(|_| "a row is too long".to_owned())?;
            let columns = body.items::<4, _>(|bytes| u32::from_le_bytes(*bytes))?;
            let values: Vec<T> = body.values()?;
            let matrix = SparseMatrix::from_csr(rows, cols, &bounds, &columns, &values);
            Body::Csr(matrix.map_err(|error| error.to_string())?)
        }
    };
    match body.0.len() {
        0 => Ok(SemiSparse::of(form, nnz, loaded)),
        more => Err(format!("{more} bytes follow its end")),
    }
}

fn sell<T: Element>(body: &mut Reader<'_>, rows: usize, cols: usize) -> Result<Sell<T>, String> {
    let chunks = body.items::<4, _>(|bytes| u32::from_le_bytes(*bytes))?;
    let order = body.items::<4, _>(|bytes| u32::from_le_bytes(*bytes))?;
    let columns = match body.number::<1>()? {
        16 => Columns::Narrow(body.items::<2, _>(|bytes| u16::from_le_bytes(*bytes))?),
        32 => Columns::Wide(body.items::<4, _>(|bytes| u32::from_le_bytes(*bytes))?),
        bits => return Err(format!("columns of {bits} bits are not known")),
    };
    Sell::from_parts(rows, cols, chunks, order, columns, body.values()?)
}

fn put_sell<T: Element>(bytes: &mut Vec<u8>, sell: &Sell<T>) {
    put(bytes, &sell.chunks, |line| line.to_le_bytes());
    put(bytes, &sell.order, |row| row.to_le_bytes());
    match &sell.columns {
        Columns::Narrow(columns) => {
            bytes.push(16);
            put(bytes, columns, |column| column.to_le_bytes());
        }
        Columns::Wide(columns) => {
            bytes.push(32);
            put(bytes, columns, |column| column.to_le_bytes());
        }
    }
    put_values(bytes, &sell.values);
}

fn put<I, const N: usize>(bytes: &mut Vec<u8>, items: &[I], of: impl Fn(&I) -> [u8; N]) {
    bytes.extend((items.len() as u64).to_le_bytes());
    items.iter().for_each(|item| bytes.extend(of(item)));
}

fn put_values<T: Element>(bytes: &mut Vec<u8>, values: &[T]) {
    bytes.extend((values.len() as u64).to_le_bytes());
    let begin = bytes.len();
    bytes.resize(begin + values.len() * T::BYTES, 0);
    bytes[begin..].chunks_exact_mut(T::BYTES).zip(values).for_each(|(bytes, value)| value.put_le(bytes));
}

/// What has not been read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("it ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn number<const N: usize>(&mut self) -> Result<u64, String> {
        let mut whole = [0; 8];
        whole[..N].copy_from_slice(self.take(N)?);
        Ok(u64::from_le_bytes(whole))
    }

    /// The bytes of a section; nothing is allocated for a count that the bytes do not bear out.
    fn section(&mut self, size: usize) -> Result<&'a [u8], String> {
        let count = usize::try_from(self.number::<8>()?).ok();
        let bytes = count.and_then(|count| count.checked_mul(size)).ok_or("it ends too early")?;
        self.take(bytes)
    }

    fn items<const N: usize, I>(&mut self, of: impl Fn(&[u8; N]) -> I) -> Result<Vec<I>, String> {
        Ok(self.section(N)?.as_chunks::<N>().0.iter().map(of).collect())
    }

    fn values<T: Element>(&mut self) -> Result<Vec<T>, String> {
        Ok(self.section(T::BYTES)?.chunks_exact(T::BYTES).map(T::from_le).collect())
    }
}
