//! Unwind tables: function bounds where symbols are missing, and exception landing pads.
//!
//! Source: DWARF 5, section 6.4; LSB, "Exception Frames"; the layout of the language-specific data
//! area is that of the Itanium C++ ABI, "Exception Handling Tables".

use super::layout::Layout;
use gimli::{BaseAddresses, CieOrFde, EndianSlice, LittleEndian, Reader as _, UnwindSection};
use std::collections::HashMap;

/// One frame description entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub start: u64,
    pub end: u64,
    /// Address of the exception table.
    pub lsda: Option<u64>,
    /// The stack frame is set up before the first instruction: this is a part of a function.
    pub continues: bool,
}

/// Frames of a module, sorted by start.
#[derive(Debug, Default)]
pub(super) struct UnwindTable {
    pub frames: Vec<Frame>,
}

/// Instructions guarded by an exception handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GuardedRange {
    /// First address of the guarded instructions.
    pub start: u64,
    /// End of the guarded instructions (exclusive).
    pub end: u64,
    /// The landing pad that receives control.
    pub pad: u64,
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

impl UnwindTable {
    /// Reads `.eh_frame` and, when given, `.debug_frame`. `pointer` reads a relocated pointer.
    pub(super) fn read(
        layout: &Layout,
        bytes: &[u8],
        debug_frame: Option<&[u8]>,
        pointer: impl Fn(u64) -> Option<u64>,
    ) -> Self {
        let mut bases = BaseAddresses::default();
        for (name, set) in [
            (".text", BaseAddresses::set_text as fn(BaseAddresses, u64) -> BaseAddresses),
            (".got", BaseAddresses::set_got),
        ] {
            if let Some(section) = layout.section(name) {
                bases = set(bases, section.address.start);
            }
        }
        let mut frames = Vec::new();
        if let Some((address, content)) = eh_frame(layout, bytes) {
            let mut section = gimli::EhFrame::new(content, LittleEndian);
            section.set_address_size(8);
            collect(&section, &bases.clone().set_eh_frame(address), &pointer, &mut frames);
        }
        if let Some(content) = debug_frame {
            let mut section = gimli::DebugFrame::new(content, LittleEndian);
            section.set_address_size(8);
            collect(&section, &bases, &pointer, &mut frames);
        }
        frames.retain(|f| layout.is_code(f.start));
        // Entries of `.eh_frame` come first for equal starts: only they refer to exception tables.
        frames.sort_by_key(|f| f.start);
        frames.dedup_by_key(|f| f.start);
        Self { frames }
    }

    /// Frames that start within `[start, end)`.
    pub(super) fn frames_in(&self, start: u64, end: u64) -> &[Frame] {
        let from = self.frames.partition_point(|f| f.start < start);
        let to = self.frames.partition_point(|f| f.start < end);
        self.frames.get(from..to).unwrap_or_default()
    }

    /// The frame that starts at `address`.
    pub(super) fn frame_at(&self, address: u64) -> Option<Frame> {
        let at = self.frames.binary_search_by_key(&address, |f| f.start).ok()?;
        self.frames.get(at).copied()
    }
}

/// Bytes and address of `.eh_frame`: by name, or through `PT_GNU_EH_FRAME` when section headers are
/// gone.
fn eh_frame<'a>(layout: &Layout, bytes: &'a [u8]) -> Option<(u64, &'a [u8])> {
    if let Some(section) = layout.section(".eh_frame").filter(|s| !s.file.is_empty()) {
        return Some((section.address.start, bytes.get(section.file.clone())?));
    }
    let address = layout.eh_frame_hdr?;
    let header = gimli::EhFrameHdr::new(bytes.get(layout.file_tail(address)?)?, LittleEndian);
    let bases = BaseAddresses::default().set_eh_frame_hdr(address);
    let parsed = header.parse(&bases, 8).ok()?;
    let gimli::Pointer::Direct(start) = parsed.eh_frame_ptr() else { return None };
    Some((start, bytes.get(layout.file_tail(start)?)?))
}

fn collect<'a, S>(
    section: &S,
    bases: &BaseAddresses,
    pointer: &impl Fn(u64) -> Option<u64>,
    frames: &mut Vec<Frame>,
) where
    S: UnwindSection<Slice<'a>>,
{
    let mut cies: HashMap<usize, Option<gimli::CommonInformationEntry<Slice<'a>>>> = HashMap::new();
    let mut entries = section.entries(bases);
    // A broken length ends the walk: what follows cannot be found.
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let frame = partial.parse(|section, bases, offset| {
            cies.entry(gimli::UnwindOffset::into(offset))
                .or_insert_with(|| section.cie_from_offset(bases, offset).ok())
                .clone()
                .ok_or(gimli::Error::NotCiePointer(0))
        });
        let Ok(frame) = frame else { continue };
        let (start, end) = (frame.initial_address(), frame.end_address());
        if start == 0 || start >= end {
            continue; // Discarded by the linker.
        }
        let lsda = match frame.lsda() {
            Some(gimli::Pointer::Direct(address)) => Some(address),
            Some(gimli::Pointer::Indirect(address)) => pointer(address),
            None => None,
        };
        let continues = starts_with_frame(frame.instructions(section, bases));
        frames.push(Frame { start, end, lsda: lsda.filter(|a| *a != 0), continues });
    }
}

/// Whether the canonical frame address moves before the first instruction: at a function's entry it
/// is where the common entry says, just above the return address.
fn starts_with_frame(mut instructions: gimli::CallFrameInstructionIter<'_, Slice<'_>>) -> bool {
    use gimli::CallFrameInstruction as Cfa;
    while let Ok(Some(instruction)) = instructions.next() {
        match instruction {
            Cfa::AdvanceLoc { .. } | Cfa::SetLoc { .. } => return false,
            Cfa::DefCfa { .. } | Cfa::DefCfaOffset { .. } | Cfa::DefCfaRegister { .. } => return true,
            _ => {}
        }
    }
    false
}

/// The call-site table of an exception table.
pub(super) fn guarded_ranges(frame: Frame, layout: &Layout, bytes: &[u8]) -> Vec<GuardedRange> {
    let mut found = Vec::new();
    let Some(lsda) = frame.lsda else { return found };
    let Some(tail) = layout.file_tail(lsda).and_then(|r| bytes.get(r)) else { return found };
    // A broken table ends at the damage.
    let _ = read_call_sites(frame, lsda, EndianSlice::new(tail, LittleEndian), &mut found);
    found
}

fn read_call_sites(
    frame: Frame,
    lsda: u64,
    mut input: Slice<'_>,
    found: &mut Vec<GuardedRange>,
) -> gimli::Result<()> {
    let whole = input;
    let omitted = gimli::DW_EH_PE_omit.0;
    let start_encoding = input.read_u8()?;
    let mut pad_base = frame.start;
    if start_encoding != omitted {
        let here = lsda.wrapping_add(input.offset_from(whole) as u64);
        let value = read_value(&mut input, start_encoding)?;
        pad_base =
            if start_encoding & 0x70 == gimli::DW_EH_PE_pcrel.0 { here.wrapping_add(value) } else { value };
    }
    if input.read_u8()? != omitted {
        input.read_uleb128()?;
    }
    let encoding = input.read_u8()?;
    let length = usize::try_from(input.read_uleb128()?).unwrap_or(usize::MAX).min(input.len());
    let mut table = input.split(length)?;
    while !table.is_empty() {
        let start = frame.start.wrapping_add(read_value(&mut table, encoding)?);
        let end = start.wrapping_add(read_value(&mut table, encoding)?);
        let pad = read_value(&mut table, encoding)?;
        table.read_uleb128()?;
        if pad != 0 && start < end {
            found.push(GuardedRange { start, end, pad: pad_base.wrapping_add(pad) });
        }
    }
    Ok(())
}

/// A value in one of the `DW_EH_PE` formats; the caller knows what it is relative to.
fn read_value(input: &mut Slice<'_>, encoding: u8) -> gimli::Result<u64> {
    match gimli::DwEhPe(encoding & 0x0f) {
        gimli::DW_EH_PE_absptr | gimli::DW_EH_PE_udata8 | gimli::DW_EH_PE_sdata8 => input.read_u64(),
        gimli::DW_EH_PE_uleb128 => input.read_uleb128(),
        gimli::DW_EH_PE_udata2 => input.read_u16().map(u64::from),
        gimli::DW_EH_PE_udata4 => input.read_u32().map(u64::from),
        gimli::DW_EH_PE_sleb128 => input.read_sleb128().map(|v| v as u64),
        gimli::DW_EH_PE_sdata2 => input.read_i16().map(|v| i64::from(v) as u64),
        gimli::DW_EH_PE_sdata4 => input.read_i32().map(|v| i64::from(v) as u64),
        _ => Err(gimli::Error::UnknownPointerEncoding(gimli::DwEhPe(encoding))),
    }
}
