//! Names of kernel functions, from `/proc/kallsyms` (`proc(5)`), where the kernel shows its addresses.

/// Text symbols by ascending address.
pub struct KernelSymbols {
    symbols: Vec<(u64, String)>,
}

impl KernelSymbols {
    /// The symbols of the running kernel; `None` where addresses are hidden (kernel.kptr_restrict).
    pub fn of_running_kernel() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/kallsyms").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut symbols: Vec<(u64, String)> = text
            .lines()
            .filter_map(|line| {
                let mut words = line.split_whitespace();
                let address = u64::from_str_radix(words.next()?, 16).ok().filter(|&address| address != 0)?;
                let is_code = matches!(words.next()?, "t" | "T" | "w" | "W");
                let name = words.next()?;
                is_code.then(|| (address, name.to_owned()))
            })
            .collect();
        // Of several names of one address the first is the kernel's own choice.
        symbols.sort_by_key(|(address, _)| *address);
        symbols.dedup_by_key(|(address, _)| *address);
        (!symbols.is_empty()).then_some(Self { symbols })
    }

    /// The function that holds `address`: the last symbol before it.
    pub fn name(&self, address: u64) -> Option<&str> {
        let after = self.symbols.partition_point(|(start, _)| *start <= address);
        self.symbols.get(after.checked_sub(1)?).map(|(_, name)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_belongs_to_the_symbol_before_it() {
        let text = "ffffffff81000100 T vfs_write\nffffffff81000000 t vfs_read\nffffffff81000050 d data\nffffffff82000000 T ext4\t[ext4]\n";
        let symbols = KernelSymbols::parse(text).unwrap();
        assert_eq!(symbols.name(0xffff_ffff_8100_0070), Some("vfs_read"));
        assert_eq!(symbols.name(0xffff_ffff_8100_0100), Some("vfs_write"));
        assert_eq!(symbols.name(0xffff_ffff_8200_0001), Some("ext4"));
        assert_eq!(symbols.name(1), None);
    }

    #[test]
    fn hidden_addresses_name_nothing() {
        assert!(KernelSymbols::parse("0000000000000000 T vfs_write\n").is_none());
        assert!(KernelSymbols::parse("junk\n\n").is_none());
    }
}
