//! What constants depend on: which processor this is, and how large its caches are.

use std::sync::OnceLock;

/// The processor's name and the size of its last cache, as CPUID tells them: constants measured on one processor do
/// not hold on another.
pub(crate) struct Processor {
    pub name: String,
    /// In bytes; `None` when unknown.
    pub last_cache_bytes: Option<u64>,
}

/// The processor that this process runs on, asked once.
pub(crate) fn processor() -> &'static Processor {
    static PROCESSOR: OnceLock<Processor> = OnceLock::new();
    PROCESSOR.get_or_init(ask)
}

#[cfg(target_arch = "x86_64")]
fn ask() -> Processor {
    use raw_cpuid::{CacheType, CpuId};
    let cpuid = CpuId::new();
    let brand = cpuid.get_processor_brand_string();
    // The name alone does not tell virtual machines apart that say little of the processor below.
    let model = cpuid.get_feature_info().map(|info| {
        format!("family {} model {} stepping {}", info.family_id(), info.model_id(), info.stepping_id())
    });
    let caches = cpuid.get_cache_parameters().into_iter().flatten();
    let data = caches.filter(|cache| matches!(cache.cache_type(), CacheType::Data | CacheType::Unified));
    let last = data.max_by_key(|cache| cache.level());
    let bytes = |cache: raw_cpuid::CacheParameter| {
        cache.associativity() * cache.physical_line_partitions() * cache.coherency_line_size() * cache.sets()
    };
    let brand = brand.as_ref().map_or("x86-64", |brand| brand.as_str().trim());
    Processor {
        name: format!("{brand}, {}", model.unwrap_or_default()),
        last_cache_bytes: last.map(|cache| bytes(cache) as u64).filter(|&bytes| bytes > 0),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn ask() -> Processor {
    Processor { name: std::env::consts::ARCH.to_owned(), last_cache_bytes: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn the_last_cache_agrees_with_the_kernels_list() {
        let folder = std::path::Path::new("/sys/devices/system/cpu/cpu0/cache");
        let mut listed = (0..8).filter_map(|index| {
            let text = std::fs::read_to_string(folder.join(format!("index{index}/size"))).ok()?;
            Some(text.trim().strip_suffix('K')?.parse::<u64>().ok()? << 10)
        });
        match listed.next_back() {
            Some(bytes) => assert_eq!(processor().last_cache_bytes, Some(bytes)),
            None => println!("skipped: {} lists no caches", folder.display()),
        }
        assert!(!processor().name.is_empty());
    }
}
