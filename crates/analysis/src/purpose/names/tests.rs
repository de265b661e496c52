use super::*;

#[test]
fn names_as_compilers_and_libraries_write_them() {
    let key = "std::array<int, (unsigned long)3>";
    let map = format!(
        "std::map<{key}, std::pair<int, int>, std::less<{key} >, std::allocator<std::pair<{key} const, int> > >::find({key} const&)"
    );
    for (name, purpose) in [
        (map.as_str(), Some(OrderedContainer)),
        ("std::_Rb_tree_insert_and_rebalance(bool, std::_Rb_tree_node_base*)", Some(OrderedContainer)),
        (
            "void std::__introsort_loop<int*, long, __gnu_cxx::__ops::_Iter_less_iter>(int*, int*, long)",
            Some(Sorting),
        ),
        ("core::slice::sort::unstable::quicksort::quicksort", Some(Sorting)),
        ("hashbrown::rustc_entry::<impl hashbrown::map::HashMap<K,V,S,A>>::rustc_entry", Some(HashTable)),
        (
            "<std::collections::hash::map::HashMap<K,V,S,A> as core::ops::index::Index<&Q>>::index",
            Some(HashTable),
        ),
        ("<core::hash::sip::Hasher<S> as core::hash::Hasher>::write", Some(Hashing)),
        ("core::hash::BuildHasher::hash_one", Some(Hashing)),
        ("std::_Hash_bytes(void const*, unsigned long, unsigned long)", Some(Hashing)),
        (
            "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::compare(std::string const&) const",
            Some(Comparing),
        ),
        (
            "bool std::operator< <char>(std::__cxx11::basic_string<char> const&, std::__cxx11::basic_string<char> const&)",
            Some(Comparing),
        ),
        (
            "std::ostream& std::operator<< <std::char_traits<char> >(std::basic_ostream<char>&, char const*)",
            Some(Formatting),
        ),
        (
            "std::vector<double, std::allocator<double> >::vector(std::vector<double, std::allocator<double> > const&)",
            Some(Copying),
        ),
        (
            "std::vector<double, std::allocator<double> >::vector(unsigned long, double const&, std::allocator<double> const&)",
            None,
        ),
        ("std::vector<int>::_M_realloc_insert(int*, int&&)", Some(Growing)),
        ("std::vector<int>::erase(__gnu_cxx::__normal_iterator<int const*>)", Some(Shifting)),
        ("std::vector<int>::push_back(int const&)", None),
        ("<alloc::vec::Vec<T,A> as core::clone::Clone>::clone", Some(Copying)),
        ("<alloc::sync::Arc<T,A> as core::clone::Clone>::clone", Some(ReferenceCounts)),
        ("<alloc::vec::Vec<T,A>>::insert", Some(Shifting)),
        ("alloc::vec::Vec<T,A>::remove", Some(Shifting)),
        ("__memcpy_avx512_unaligned_erms", Some(Copying)),
        ("__strcmp_evex", Some(Comparing)),
        ("__memcmp_evex_movbe", Some(Comparing)),
        ("____strtod_l_internal", Some(Parsing)),
        ("std::mersenne_twister_engine<unsigned long, 64ul>::operator()()", Some(RandomNumbers)),
        ("__dynamic_cast", Some(DynamicCasts)),
        ("_Unwind_RaiseException", Some(Exceptions)),
        ("_gfortran_cshift0_8", Some(ArrayTemporaries)),
        ("cshift0_r8", None),
        ("_gfortran_internal_pack", Some(ArrayTemporaries)),
        ("malloc", Some(Allocation)),
        ("__rustc::__rust_dealloc", Some(Allocation)),
        ("__gmpn_mul_1", Some(BigIntegers)),
        ("g_hash_table_lookup", Some(HashTable)),
        // Programs' own.
        ("Map::find(int)", None),
        ("game::sort_moves(Move*)", None),
        ("random_walk", None),
        ("reader", None),
        ("transpose", None),
        ("read_line", None),
        ("main", None),
        ("before::filing_key", None),
        ("<before::Record as core::cmp::Ord>::cmp", None),
        ("std::chrono::_V2::system_clock::now()", None),
    ] {
        assert_eq!(purpose_of(name), purpose, "{name}: {}", plain(name));
    }
}

#[test]
fn names_become_plain() {
    for (name, expected) in [
        ("std::map<int, int>::operator[](int const&)", "std::map::operator[]"),
        ("std::__cxx11::list<int>::push_back(int const&)", "std::list::push_back"),
        ("<alloc::vec::Vec<T> as core::ops::Deref>::deref", "alloc::vec::Vec::deref"),
        ("<str>::to_lowercase", "<str>::to_lowercase"),
        ("main", "main"),
        ("bool std::operator< <int, (unsigned long)3>(int, int)", "std::operator<"),
    ] {
        assert_eq!(plain(name), expected);
    }
    assert!(is_of_a_library("void std::__adjust_heap<int*>(int*)"));
    assert!(
        !is_of_a_library("std_sort(int*)") && !is_of_a_library("<before::Key as core::hash::Hash>::hash")
    );
}

#[test]
fn hostile_names_are_plain_too() {
    for name in [
        "",
        "<",
        ">",
        "<<<<",
        "operator<",
        "a(b",
        "<a as",
        "é<ü>::ß(",
        "std::vector::vector( const&)",
        ")(",
        "std::vector<vector>) const&)",
    ] {
        let _ = (purpose_of(name), plain(name).len(), is_of_a_library(name));
    }
}

#[test]
fn names_of_allocators_in_the_wild() {
    for name in [
        "malloc",
        "_int_free",
        "__libc_calloc",
        "operator new(unsigned long)",
        "free@GLIBC_2.2.5",
        "malloc_consolidate.isra.0",
    ] {
        assert!(is_allocator(name), "{name}");
    }
    for name in ["freezer", "my_malloc_stats", "memcpy", "newton", "je"] {
        assert!(!is_allocator(name), "{name}");
    }
}
