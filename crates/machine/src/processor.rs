//! The processor and its hypervisor.
//!
//! Names come from `/proc/cpuinfo` (Documentation/arch/x86/cpuinfo.rst), the hypervisor from the CPUID leaf
//! that hypervisors agreed on (40000000h) or from `/sys`.

use crate::tree::Tree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Processor {
    /// Marketing name ("unknown" where it is not available).
    pub name: String,
    /// CPUID vendor ("GenuineIntel", "AuthenticAMD"), or the implementer elsewhere.
    pub vendor: String,
    /// Family, with the extended family added.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub family: Option<u32>,
    /// Model, with the extended model added.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<u32>,
    /// Stepping.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stepping: Option<u32>,
    /// Microcode revision as the kernel prints it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub microcode: Option<String>,
    /// Frequency of the time-stamp counter in Hz, where CPUID states it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tsc_hz: Option<u64>,
}

/// The facts from `/proc/cpuinfo` about the first CPU.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuInfo {
    fields: Vec<(String, String)>,
    /// Kernel names of the processor's features (`flags`, or `Features` off x86).
    pub flags: BTreeSet<String>,
    /// Virtualisation features of Intel processors.
    pub vmx_flags: BTreeSet<String>,
}

impl CpuInfo {
    pub fn read(tree: &Tree) -> CpuInfo {
        let text = tree.text("/proc/cpuinfo").unwrap_or_default();
        let fields: Vec<(String, String)> = text
            .lines()
            .take_while(|line| !line.trim().is_empty())
            .filter_map(|line| line.split_once(':'))
            .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
            .collect();
        let mut info = CpuInfo { fields, ..CpuInfo::default() };
        let words = |key: &str| -> BTreeSet<String> {
            info.field(key).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        let mut flags = words("flags");
        flags.extend(words("Features"));
        (info.flags, info.vmx_flags) = (flags, words("vmx flags"));
        info
    }

    fn field(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

impl Processor {
    pub(crate) fn read(tree: &Tree, info: &CpuInfo) -> Processor {
        let number = |key: &str| info.field(key).and_then(|value| value.parse().ok());
        let text = |keys: &[&str]| keys.iter().find_map(|key| info.field(key)).map(str::to_owned);
        let (cpuid_name, cpuid_vendor, tsc_hz) = if tree.is_live() { cpuid() } else { (None, None, None) };
        Processor {
            name: text(&["model name", "Processor", "cpu model", "uarch"])
                .or(cpuid_name)
                .unwrap_or_else(|| format!("unknown {} processor", std::env::consts::ARCH)),
            vendor: text(&["vendor_id", "CPU implementer"])
                .or(cpuid_vendor)
                .unwrap_or_else(|| "unknown".to_owned()),
            family: number("cpu family"),
            model: number("model"),
            stepping: number("stepping"),
            microcode: text(&["microcode"]),
            tsc_hz,
        }
    }
}

/// Brand string, vendor, and TSC frequency.
#[cfg(target_arch = "x86_64")]
fn cpuid() -> (Option<String>, Option<String>, Option<u64>) {
    let cpuid = raw_cpuid::CpuId::new();
    (
        cpuid.get_processor_brand_string().map(|b| b.as_str().trim().to_owned()),
        cpuid.get_vendor_info().map(|v| v.as_str().to_owned()),
        cpuid.get_tsc_info().and_then(|tsc| tsc.tsc_frequency()).or_else(|| {
            let khz = cpuid.get_hypervisor_info()?.tsc_frequency()?;
            Some(u64::from(khz) * 1000)
        }),
    )
}

#[cfg(not(target_arch = "x86_64"))]
fn cpuid() -> (Option<String>, Option<String>, Option<u64>) {
    (None, None, None)
}

/// The hypervisor's name; `None` on bare metal (as far as can be seen).
pub(crate) fn hypervisor(tree: &Tree, info: &CpuInfo) -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    if tree.is_live()
        && let Some(found) = raw_cpuid::CpuId::new().get_hypervisor_info()
    {
        use raw_cpuid::Hypervisor;
        let name = match found.identify() {
            Hypervisor::Xen => "Xen",
            Hypervisor::VMware => "VMware",
            Hypervisor::HyperV => "Microsoft Hyper-V",
            Hypervisor::KVM => "KVM",
            Hypervisor::QEMU => "QEMU (emulated)",
            Hypervisor::Bhyve => "bhyve",
            Hypervisor::QNX => "QNX",
            Hypervisor::ACRN => "ACRN",
            Hypervisor::Unknown(..) => "an unknown hypervisor",
        };
        return Some(name.to_owned());
    }
    let product = ["/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name"]
        .iter()
        .filter_map(|file| tree.text(file))
        .collect::<Vec<_>>()
        .join(" ");
    // Names in the firmware of virtual machines.
    let known = [
        ("QEMU", "KVM"),
        ("KVM", "KVM"),
        ("Amazon EC2", "KVM (Amazon EC2)"),
        ("Google", "KVM (Google)"),
        ("VMware", "VMware"),
        ("VirtualBox", "VirtualBox"),
        ("Microsoft Corporation Virtual", "Microsoft Hyper-V"),
        ("Xen", "Xen"),
    ];
    let flagged = info.flags.contains("hypervisor");
    let named = known.iter().find(|(text, _)| product.contains(text)).map(|(_, name)| (*name).to_owned());
    if flagged {
        // Amazon's and Google's bare-metal machines carry the same vendor, so the flag decides.
        named.or_else(|| tree.text("/sys/hypervisor/type")).or(Some("an unknown hypervisor".to_owned()))
    } else {
        tree.text("/sys/hypervisor/type").filter(|name| name != "none")
    }
}
