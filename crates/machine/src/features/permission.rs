//! Whether the operating system lets programs use a feature that the processor has.

use super::row::{Needs, Row};
use crate::processor::CpuInfo;
use crate::tree::Tree;
use std::collections::BTreeSet;

/// XCR0 bits of SSE and AVX registers.
pub(crate) const AVX_STATE: u64 = 0b110;
/// XCR0 bits of those and masks, upper halves, and the sixteen further registers.
pub(crate) const AVX512_STATE: u64 = 0b1110_0110;
/// XCR0 bits of tile configuration and data.
pub(crate) const TILE_STATE: u64 = 0b11 << 17;

/// The state of the operating system.
#[derive(Clone, Debug, Default)]
pub(super) struct Host {
    /// XCR0; `None` when it cannot be read (a recorded tree, or no XSAVE).
    pub xcr0: Option<u64>,
    /// State components that the kernel grants to a process on request.
    pub tile_permission: Option<bool>,
    pub flags: BTreeSet<String>,
    pub tsx_vulnerability: String,
    pub resctrl_mounted: bool,
    pub resctrl_files: BTreeSet<String>,
    pub resctrl_events: BTreeSet<String>,
    pub perf_drivers: BTreeSet<String>,
    pub paranoid: Option<i32>,
    /// Parameters of the kernel's virtual-machine module that are on.
    pub kvm: Option<BTreeSet<String>>,
}

const RESCTRL: &str = "/sys/fs/resctrl";

impl Host {
    pub fn read(tree: &Tree, info: &CpuInfo) -> Host {
        let mounts = tree.text("/proc/mounts").unwrap_or_default();
        let resctrl_mounted = mounts.lines().any(|line| line.split_whitespace().nth(2) == Some("resctrl"));
        let parameters = "/sys/module/kvm_intel/parameters";
        let kvm = tree.exists(parameters).then(|| {
            tree.names(parameters)
                .into_iter()
                .filter(|name| {
                    matches!(tree.text(&format!("{parameters}/{name}")).as_deref(), Some("Y" | "1"))
                })
                .collect()
        });
        Host {
            xcr0: if tree.is_live() { xcr0() } else { None },
            tile_permission: if tree.is_live() { tile_permission() } else { None },
            flags: info.flags.clone(),
            tsx_vulnerability: tree
                .text("/sys/devices/system/cpu/vulnerabilities/tsx_async_abort")
                .unwrap_or_default(),
            resctrl_mounted,
            resctrl_files: tree.names(&format!("{RESCTRL}/info")).into_iter().collect(),
            resctrl_events: tree
                .text(&format!("{RESCTRL}/info/L3_MON/mon_features"))
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            perf_drivers: tree.names("/sys/bus/event_source/devices").into_iter().collect(),
            paranoid: tree.number("/proc/sys/kernel/perf_event_paranoid"),
            kvm,
        }
    }

    /// Whether the kernel lists the row's flag; true when the row has none.
    fn flagged(&self, row: &Row) -> bool {
        row.flags.is_empty() || row.flags.iter().any(|flag| self.flags.contains(*flag))
    }

    fn resctrl(&self, found: bool, what: &str) -> Result<Option<String>, String> {
        match (self.resctrl_mounted, found) {
            (true, true) => Ok(None),
            (true, false) => {
                Err(format!("resctrl is mounted but offers no {what}; check the kernel's rdt= option"))
            }
            (false, _) => Err(format!("resctrl is not mounted; as root: mount -t resctrl resctrl {RESCTRL}")),
        }
    }
}

impl Needs {
    /// `Ok`, with a note or without, when programs may use the row's feature; otherwise the reason and the remedy.
    pub(super) fn check(self, row: &Row, host: &Host) -> Result<Option<String>, String> {
        match self {
            Needs::Nothing if host.flagged(row) => Ok(None),
            Needs::Nothing => {
                Ok(Some("the kernel does not list it, but cannot keep programs from it".to_owned()))
            }
            Needs::State(mask) => match host.xcr0 {
                Some(xcr0) if xcr0 & mask == mask => Ok(None),
                Some(xcr0) => Err(format!(
                    "the kernel does not save its registers (XCR0 {xcr0:#x} lacks {:#x}); boot without noxsave, clearcpuid",
                    mask & !xcr0
                )),
                // The kernel drops the flags of features whose state it does not save.
                None if host.flagged(row) => Ok(None),
                None => Err("the kernel does not list it, so it does not save its registers".to_owned()),
            },
            Needs::Tiles => {
                Needs::State(TILE_STATE).check(row, host)?;
                match host.tile_permission {
                    Some(true) => {
                        Ok(Some("a process asks first: arch_prctl(ARCH_REQ_XCOMP_PERM, 18)".to_owned()))
                    }
                    Some(false) => {
                        Err("the kernel grants no permission for tile data; Linux 5.16 or later does"
                            .to_owned())
                    }
                    None => Ok(Some("permission could not be asked for".to_owned())),
                }
            }
            Needs::Kernel if host.flagged(row) => Ok(None),
            Needs::Kernel => {
                Err("the kernel has not switched it on; a newer kernel or its boot options may".to_owned())
            }
            Needs::Transactions => {
                if host.flags.contains("rtm_always_abort") {
                    Err("microcode aborts every transaction".to_owned())
                } else if host.tsx_vulnerability.contains("TSX disabled") || !host.flagged(row) {
                    Err("the kernel has switched transactions off; boot with tsx=on where that is safe"
                        .to_owned())
                } else {
                    Ok(None)
                }
            }
            Needs::Resctrl(file) => host.resctrl(host.resctrl_files.contains(file), file),
            Needs::ResctrlEvent(event) => host.resctrl(host.resctrl_events.contains(event), event),
            Needs::PerfDriver(driver) if !host.perf_drivers.contains(driver) => {
                Err(format!("the kernel has no {driver} driver here; virtual machines rarely provide it"))
            }
            Needs::PerfDriver(_) => match host.paranoid {
                Some(level) if level > 2 => Err(format!(
                    "perf_event_paranoid is {level}; as root: sysctl kernel.perf_event_paranoid=2"
                )),
                _ => Ok(None),
            },
            Needs::Privileged if host.flagged(row) => {
                Ok(Some("used by the operating system, not by programs".to_owned()))
            }
            Needs::Privileged => {
                Err("the kernel does not use it; the firmware or a boot option may have switched it off"
                    .to_owned())
            }
            Needs::VirtualMachines(parameter) => match &host.kvm {
                Some(on) if on.contains(parameter) => Ok(Some("used by KVM".to_owned())),
                Some(_) => Err(format!("KVM does not use it; load kvm_intel with {parameter}=1")),
                None => Err("KVM is not loaded; as root: modprobe kvm_intel".to_owned()),
            },
        }
    }
}

/// Which register states the kernel saves.
#[cfg(target_arch = "x86_64")]
fn xcr0() -> Option<u64> {
    /// # Safety
    /// The kernel has enabled XSAVE (CPUID.1:ECX.OSXSAVE).
    #[target_feature(enable = "xsave")]
    unsafe fn read() -> u64 {
        // SAFETY: the caller's duty; register 0 always exists then.
        unsafe { std::arch::x86_64::_xgetbv(0) }
    }
    if raw_cpuid::cpuid!(1).ecx >> 27 & 1 == 0 {
        return Some(0b11);
    }
    // SAFETY: OSXSAVE is set (checked above), so XGETBV is enabled at every privilege level.
    Some(unsafe { read() })
}

#[cfg(not(target_arch = "x86_64"))]
fn xcr0() -> Option<u64> {
    None
}

/// Whether the kernel grants tile data on request. The query changes nothing.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn tile_permission() -> Option<bool> {
    /// `ARCH_GET_XCOMP_SUPP` (arch/x86/include/uapi/asm/prctl.h): the state components the kernel supports.
    const GET_SUPPORTED: libc::c_long = 0x1021;
    let mut supported = 0_u64;
    // SAFETY: arch_prctl with this code writes one u64 through the pointer, which is valid for that.
    let result = unsafe { libc::syscall(libc::SYS_arch_prctl, GET_SUPPORTED, &raw mut supported) };
    if result != 0 {
        return Some(false);
    }
    Some(supported & TILE_STATE == TILE_STATE)
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn tile_permission() -> Option<bool> {
    None
}
