//! The table of features: adding one is adding a row.
//!
//! A row is: id, name, group; its purpose; the kernel's flags for it in `/proc/cpuinfo`; its CPUID bit; its
//! requirement on the operating system.

use super::permission::{AVX_STATE, AVX512_STATE};
use super::row::{Bit, Group, Needs, Presence, Register, Row};

const fn bit(leaf: u32, subleaf: u32, register: Register, bit: u32) -> Presence {
    Presence::Bit(Bit { leaf, subleaf, register, bit })
}

const fn mba() -> Presence {
    Presence::Either(
        Bit { leaf: 0x10, subleaf: 0, register: Ebx, bit: 3 },
        Bit { leaf: 0x8000_0020, subleaf: 0, register: Ebx, bit: 1 },
    )
}

macro_rules! table {
    ($($id:literal $name:literal $group:ident $purpose:literal [$($flag:literal),*] $presence:expr, $needs:expr;)*) => {
        &[$(Row {
            id: $id,
            name: $name,
            group: Group::$group,
            purpose: $purpose,
            flags: &[$($flag),*],
            presence: $presence,
            needs: $needs,
        },)*]
    };
}

use Needs::{
    Kernel, Nothing, PerfDriver, Privileged, Resctrl, ResctrlEvent, State, Tiles, Transactions,
    VirtualMachines,
};
use Register::{Eax, Ebx, Ecx, Edx};

pub(crate) static TABLE: &[Row] = table! {
    "sse" "SSE" Vector "four f32 in a 128-bit register" ["sse"] bit(1, 0, Edx, 25), Nothing;
    "sse2" "SSE2" Vector "two f64 and integer vectors of 128 bits; what every x86-64 build uses" ["sse2"] bit(1, 0, Edx, 26), Nothing;
    "sse3" "SSE3" Vector "horizontal adds and duplicating moves, for complex numbers" ["pni"] bit(1, 0, Ecx, 0), Nothing;
    "ssse3" "SSSE3" Vector "byte shuffles (pshufb): table look-up, byte swap, alignment" ["ssse3"] bit(1, 0, Ecx, 9), Nothing;
    "sse4_1" "SSE4.1" Vector "blends, rounding, dot products, integer minimum and maximum" ["sse4_1"] bit(1, 0, Ecx, 19), Nothing;
    "sse4_2" "SSE4.2" Vector "string comparison, 64-bit compare, CRC-32C" ["sse4_2"] bit(1, 0, Ecx, 20), Nothing;
    "sse4a" "SSE4a" Vector "AMD: scalar non-temporal stores, bit-field extract" ["sse4a"] bit(0x8000_0001, 0, Ecx, 6), Nothing;
    "avx" "AVX" Vector "256-bit floating-point vectors, three operands" ["avx"] bit(1, 0, Ecx, 28), State(AVX_STATE);
    "f16c" "F16C" Vector "conversion between half and single precision" ["f16c"] bit(1, 0, Ecx, 29), State(AVX_STATE);
    "fma" "FMA" Vector "a x b + c in one instruction with one rounding: doubles the peak" ["fma"] bit(1, 0, Ecx, 12), State(AVX_STATE);
    "avx2" "AVX2" Vector "256-bit integer vectors, gathers, permutes across lanes" ["avx2"] bit(7, 0, Ebx, 5), State(AVX_STATE);
    "avx_vnni" "AVX-VNNI" Vector "int8 and int16 dot products into int32, 256 bits" ["avx_vnni"] bit(7, 1, Eax, 4), State(AVX_STATE);
    "avx_vnni_int8" "AVX-VNNI-INT8" Vector "int8 dot products of any signedness" ["avx_vnni_int8"] bit(7, 1, Edx, 4), State(AVX_STATE);
    "avx_vnni_int16" "AVX-VNNI-INT16" Vector "int16 dot products of any signedness" ["avx_vnni_int16"] bit(7, 1, Edx, 10), State(AVX_STATE);
    "avx_ifma" "AVX-IFMA" Vector "52-bit integer multiply-add, 256 bits: large integers" ["avx_ifma"] bit(7, 1, Eax, 23), State(AVX_STATE);
    "avx_ne_convert" "AVX-NE-CONVERT" Vector "bf16 and f16 to f32 conversion without exceptions" ["avx_ne_convert"] bit(7, 1, Edx, 5), State(AVX_STATE);
    "avx512f" "AVX-512 F" Avx512 "512-bit vectors, 32 registers, masks, scatters" ["avx512f"] bit(7, 0, Ebx, 16), State(AVX512_STATE);
    "avx512vl" "AVX-512 VL" Avx512 "masks and the 32 registers for 128 and 256 bits" ["avx512vl"] bit(7, 0, Ebx, 31), State(AVX512_STATE);
    "avx512dq" "AVX-512 DQ" Avx512 "64-bit multiply, conversions between f64 and 64-bit integers" ["avx512dq"] bit(7, 0, Ebx, 17), State(AVX512_STATE);
    "avx512bw" "AVX-512 BW" Avx512 "8- and 16-bit elements, 64-bit masks" ["avx512bw"] bit(7, 0, Ebx, 30), State(AVX512_STATE);
    "avx512cd" "AVX-512 CD" Avx512 "conflict detection: vectorises histograms and scatters; leading zeros" ["avx512cd"] bit(7, 0, Ebx, 28), State(AVX512_STATE);
    "avx512er" "AVX-512 ER" Avx512 "Xeon Phi: accurate reciprocals and exponentials" ["avx512er"] bit(7, 0, Ebx, 27), State(AVX512_STATE);
    "avx512pf" "AVX-512 PF" Avx512 "Xeon Phi: prefetching gathers and scatters" ["avx512pf"] bit(7, 0, Ebx, 26), State(AVX512_STATE);
    "avx512_4vnniw" "AVX-512 4VNNIW" Avx512 "Xeon Phi: four int16 dot products in a row" ["avx512_4vnniw"] bit(7, 0, Edx, 2), State(AVX512_STATE);
    "avx512_4fmaps" "AVX-512 4FMAPS" Avx512 "Xeon Phi: four f32 multiply-adds in a row" ["avx512_4fmaps"] bit(7, 0, Edx, 3), State(AVX512_STATE);
    "avx512ifma" "AVX-512 IFMA" Avx512 "52-bit integer multiply-add: large integers, RSA" ["avx512ifma"] bit(7, 0, Ebx, 21), State(AVX512_STATE);
    "avx512vbmi" "AVX-512 VBMI" Avx512 "byte permutes across the whole register" ["avx512vbmi"] bit(7, 0, Ecx, 1), State(AVX512_STATE);
    "avx512_vbmi2" "AVX-512 VBMI2" Avx512 "byte and word compress and expand, funnel shifts: filters, parsers" ["avx512_vbmi2"] bit(7, 0, Ecx, 6), State(AVX512_STATE);
    "avx512_vnni" "AVX-512 VNNI" Avx512 "int8 and int16 dot products into int32: quantised inference" ["avx512_vnni"] bit(7, 0, Ecx, 11), State(AVX512_STATE);
    "avx512_bitalg" "AVX-512 BITALG" Avx512 "population count of bytes and words, bit shuffles" ["avx512_bitalg"] bit(7, 0, Ecx, 12), State(AVX512_STATE);
    "avx512_vpopcntdq" "AVX-512 VPOPCNTDQ" Avx512 "population count of 32- and 64-bit elements" ["avx512_vpopcntdq"] bit(7, 0, Ecx, 14), State(AVX512_STATE);
    "avx512_vp2intersect" "AVX-512 VP2INTERSECT" Avx512 "which elements two vectors share: set intersection" ["avx512_vp2intersect"] bit(7, 0, Edx, 8), State(AVX512_STATE);
    "avx512_bf16" "AVX-512 BF16" Avx512 "bf16 dot products into f32" ["avx512_bf16"] bit(7, 1, Eax, 5), State(AVX512_STATE);
    "avx512_fp16" "AVX-512 FP16" Avx512 "half-precision arithmetic" ["avx512_fp16"] bit(7, 0, Edx, 23), State(AVX512_STATE);
    "avx10" "AVX10" Avx512 "the AVX-512 families as one versioned set" ["avx10"] bit(7, 1, Edx, 19), State(AVX_STATE);
    "amx_tile" "AMX tiles" Matrix "eight two-dimensional registers of 1 KiB" ["amx_tile"] bit(7, 0, Edx, 24), Tiles;
    "amx_int8" "AMX INT8" Matrix "int8 matrix products into int32" ["amx_int8"] bit(7, 0, Edx, 25), Tiles;
    "amx_bf16" "AMX BF16" Matrix "bf16 matrix products into f32" ["amx_bf16"] bit(7, 0, Edx, 22), Tiles;
    "amx_fp16" "AMX FP16" Matrix "half-precision matrix products into f32" ["amx_fp16"] bit(7, 1, Eax, 21), Tiles;
    "amx_complex" "AMX COMPLEX" Matrix "complex half-precision matrix products" ["amx_complex"] bit(7, 1, Edx, 8), Tiles;
    "cmov" "CMOV" Bits "conditional moves instead of branches" ["cmov"] bit(1, 0, Edx, 15), Nothing;
    "popcnt" "POPCNT" Bits "counts set bits" ["popcnt"] bit(1, 0, Ecx, 23), Nothing;
    "lzcnt" "LZCNT" Bits "counts leading zeros" ["abm"] bit(0x8000_0001, 0, Ecx, 5), Nothing;
    "bmi1" "BMI1" Bits "and-not, lowest set bit, bit-field extract, trailing zeros" ["bmi1"] bit(7, 0, Ebx, 3), Nothing;
    "bmi2" "BMI2" Bits "flagless multiply and shifts (MULX), bit deposit and extract (PDEP, PEXT)" ["bmi2"] bit(7, 0, Ebx, 8), Nothing;
    "adx" "ADX" Bits "two carry chains at once (ADCX, ADOX): large integers, RSA" ["adx"] bit(7, 0, Ebx, 19), Nothing;
    "movbe" "MOVBE" Bits "loads and stores with swapped bytes" ["movbe"] bit(1, 0, Ecx, 22), Nothing;
    "apx" "APX" Bits "32 general registers, three operands" ["apx"] bit(7, 1, Edx, 21), State(1 << 19);
    "aes" "AES-NI" Cryptography "AES rounds, 128 bits" ["aes"] bit(1, 0, Ecx, 25), Nothing;
    "vaes" "VAES" Cryptography "AES rounds on 256- and 512-bit vectors" ["vaes"] bit(7, 0, Ecx, 9), State(AVX_STATE);
    "pclmulqdq" "PCLMULQDQ" Cryptography "carry-less multiply: GCM, CRC" ["pclmulqdq"] bit(1, 0, Ecx, 1), Nothing;
    "vpclmulqdq" "VPCLMULQDQ" Cryptography "carry-less multiply on 256- and 512-bit vectors" ["vpclmulqdq"] bit(7, 0, Ecx, 10), State(AVX_STATE);
    "gfni" "GFNI" Cryptography "arithmetic in GF(256): error correction, SM4, bit permutations of bytes" ["gfni"] bit(7, 0, Ecx, 8), Nothing;
    "sha" "SHA" Cryptography "SHA-1 and SHA-256 rounds" ["sha_ni"] bit(7, 0, Ebx, 29), Nothing;
    "sha512" "SHA-512" Cryptography "SHA-512 rounds" ["sha512"] bit(7, 1, Eax, 0), State(AVX_STATE);
    "rdrand" "RDRAND" Cryptography "random numbers from a seeded generator" ["rdrand"] bit(1, 0, Ecx, 30), Nothing;
    "rdseed" "RDSEED" Cryptography "true random seeds for a generator of one's own" ["rdseed"] bit(7, 0, Ebx, 18), Nothing;
    "prefetchw" "PREFETCHW" Memory "prefetches a line that will be written" ["3dnowprefetch"] bit(0x8000_0001, 0, Ecx, 8), Nothing;
    "prefetchi" "PREFETCHI" Memory "prefetches code" ["prefetchi"] bit(7, 1, Edx, 14), Nothing;
    "clflushopt" "CLFLUSHOPT" Memory "flushes lines without waiting for one another" ["clflushopt"] bit(7, 0, Ebx, 23), Nothing;
    "clwb" "CLWB" Memory "writes a line back and keeps it: persistent memory" ["clwb"] bit(7, 0, Ebx, 24), Nothing;
    "cldemote" "CLDEMOTE" Memory "moves a line towards the shared cache for another core" ["cldemote"] bit(7, 0, Ecx, 25), Nothing;
    "clzero" "CLZERO" Memory "AMD: zeroes a whole line without reading it" ["clzero"] bit(0x8000_0008, 0, Ebx, 0), Nothing;
    "movdiri" "MOVDIRI" Memory "direct stores that bypass the cache" ["movdiri"] bit(7, 0, Ecx, 27), Nothing;
    "movdir64b" "MOVDIR64B" Memory "64-byte direct stores: devices, accelerators" ["movdir64b"] bit(7, 0, Ecx, 28), Nothing;
    "erms" "ERMS" Memory "fast rep movsb and rep stosb: large copies and fills" ["erms"] bit(7, 0, Ebx, 9), Nothing;
    "fsrm" "FSRM" Memory "rep movsb fast for short copies too" ["fsrm"] bit(7, 0, Edx, 4), Nothing;
    "pages_1g" "1 GiB pages" Memory "one TLB entry for a gigabyte" ["pdpe1gb"] bit(0x8000_0001, 0, Edx, 26), Nothing;
    "rtm" "TSX RTM" Synchronisation "hardware transactions: lock elision by hand" ["rtm"] bit(7, 0, Ebx, 11), Transactions;
    "hle" "TSX HLE" Synchronisation "lock elision by prefix" ["hle"] bit(7, 0, Ebx, 4), Transactions;
    "cx16" "CMPXCHG16B" Synchronisation "atomic exchange of 16 bytes: lock-free lists" ["cx16"] bit(1, 0, Ecx, 13), Nothing;
    "cmpccxadd" "CMPCCXADD" Synchronisation "compare and add in one atomic instruction" ["cmpccxadd"] bit(7, 1, Eax, 7), Nothing;
    "mwait" "MONITOR/MWAIT" Synchronisation "waits for a store to a line, in low power" ["monitor"] bit(1, 0, Ecx, 3), Privileged;
    "monitorx" "MONITORX/MWAITX" Synchronisation "AMD: programs wait for a store to a line" ["mwaitx"] bit(0x8000_0001, 0, Ecx, 29), Nothing;
    "umwait" "UMONITOR/UMWAIT/TPAUSE" Synchronisation "programs wait for a store or for a time, in low power" ["waitpkg"] bit(7, 0, Ecx, 5), Nothing;
    "cmt" "CMT" Quality "cache occupancy per thread or group: who fills the last-level cache" ["cqm_occup_llc"] bit(0xf, 1, Edx, 0), ResctrlEvent("llc_occupancy");
    "mbm_total" "MBM total" Quality "memory bandwidth per thread or group" ["cqm_mbm_total"] bit(0xf, 1, Edx, 1), ResctrlEvent("mbm_total_bytes");
    "mbm_local" "MBM local" Quality "memory bandwidth to the near NUMA node per thread or group" ["cqm_mbm_local"] bit(0xf, 1, Edx, 2), ResctrlEvent("mbm_local_bytes");
    "cat_l3" "CAT L3" Quality "reserves ways of the last-level cache" ["cat_l3"] bit(0x10, 0, Ebx, 1), Resctrl("L3");
    "cat_l2" "CAT L2" Quality "reserves ways of the second-level cache" ["cat_l2"] bit(0x10, 0, Ebx, 2), Resctrl("L2");
    "cdp_l3" "CDP L3" Quality "reserves cache for code and data apart" ["cdp_l3"] bit(0x10, 1, Ecx, 2), Resctrl("L3CODE");
    "mba" "MBA" Quality "limits a group's memory bandwidth" ["mba"] mba(), Resctrl("MB");
    "tsc" "TSC" Tracing "time-stamp counter: cheap time (RDTSC)" ["tsc"] bit(1, 0, Edx, 4), Nothing;
    "invariant_tsc" "invariant TSC" Tracing "the counter's rate does not follow the clock or sleep" ["nonstop_tsc"] bit(0x8000_0007, 0, Edx, 8), Nothing;
    "rdtscp" "RDTSCP" Tracing "reads the counter and the CPU's number, in order" ["rdtscp"] bit(0x8000_0001, 0, Edx, 27), Nothing;
    "rdpid" "RDPID" Tracing "reads the CPU's number" ["rdpid"] bit(7, 0, Ecx, 22), Nothing;
    "serialize" "SERIALIZE" Tracing "waits for earlier instructions: exact timing" ["serialize"] bit(7, 0, Edx, 14), Nothing;
    "intel_pt" "Processor Trace" Tracing "records every branch at little cost: exact control flow" ["intel_pt"] bit(7, 0, Ebx, 25), PerfDriver("intel_pt");
    "ibs" "IBS" Tracing "AMD: samples single operations with addresses and latencies" ["ibs"] bit(0x8000_0001, 0, Ecx, 10), PerfDriver("ibs_op");
    "hybrid" "hybrid cores" Tracing "cores of different speed in one processor: pin before comparing" ["hybrid_cpu"] bit(7, 0, Edx, 15), Nothing;
    "fsgsbase" "FSGSBASE" System "programs set thread pointers without a system call" ["fsgsbase"] bit(7, 0, Ebx, 0), Kernel;
    "pku" "PKU" System "memory protection keys that programs switch cheaply" ["ospke"] bit(7, 0, Ecx, 3), Kernel;
    "cet_ss" "CET shadow stack" System "a second stack of return addresses; also an exact call stack" ["user_shstk"] bit(7, 0, Ecx, 7), Kernel;
    "cet_ibt" "CET indirect branch tracking" System "indirect branches may only reach marked targets" ["ibt"] bit(7, 0, Edx, 20), Privileged;
    "smep" "SMEP" System "the kernel cannot execute user pages" ["smep"] bit(7, 0, Ebx, 7), Privileged;
    "smap" "SMAP" System "the kernel cannot touch user pages unawares" ["smap"] bit(7, 0, Ebx, 20), Privileged;
    "txt" "TXT (SMX)" System "a measured launch of the operating system" ["smx"] bit(1, 0, Ecx, 6), Privileged;
    "vmx" "VT-x" System "virtual machines (Intel)" ["vmx"] bit(1, 0, Ecx, 5), Privileged;
    "svm" "AMD-V" System "virtual machines (AMD)" ["svm"] bit(0x8000_0001, 0, Ecx, 2), Privileged;
    "ept_ad" "EPT accessed/dirty bits" System "live migration of virtual machines without traps" ["ept_ad"] Presence::VmxFlag, VirtualMachines("eptad");
    "shadow_vmcs" "VMCS shadowing" System "nested virtual machines with fewer exits" ["shadow_vmcs"] Presence::VmxFlag, VirtualMachines("enable_shadow_vmcs");
    "apicv" "APICv" System "interrupts of virtual machines without exits" ["apicv"] Presence::VmxFlag, VirtualMachines("enable_apicv");
    "posted_interrupts" "posted interrupts" System "devices interrupt a running virtual machine directly" ["posted_intr"] Presence::VmxFlag, VirtualMachines("enable_apicv");
};
