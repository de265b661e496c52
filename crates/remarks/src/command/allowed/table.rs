//! The flags that may be executed when a file names them. One row per flag or group of flags; flags without a
//! row are dropped.
//!
//! A flag is allowed when it chooses language, standard, level, target, optimisation, includes or definitions, and when
//! in no version of GCC or clang it reads, loads, writes or runs anything that its value names. Names were taken from
//! `gcc --help=optimizers,target,common,c,c++,fortran` (9 to 15) and `clang --help-hidden` (10 to 22), and each was
//! checked in the manual ("Invoking GCC", "Clang command line argument reference"). Not in the table, on purpose:
//!
//! - flags that load code: `-fplugin=`, `-fpass-plugin=`, `-Xclang -load`, `-specs=`, `-wrapper`, `-B`,
//!   `--gcc-toolchain=`, `-fmodule-mapper=` (its value may be a command), `--config=`, `-include-pch`, `-fmodules*`
//!   (module files are compiled code);
//! - flags that pass on other arguments: `-Xclang`, `-Xpreprocessor`, `-Xassembler`, `-Xlinker`, `-Wp,`, `-Wa,`,
//!   `-Wl,`, `-mllvm`, `@file`;
//! - flags that write: `-o`, `-M*`, `-aux-info`, `-dump*`, `-save-temps*`, `-fdump-*`, `-fcallgraph-info`,
//!   `-fstack-usage`, `-ftime-trace`, `-ftest-coverage`, `-fproc-stat-report`, `-fdiagnostics-format=sarif-file`,
//!   `-fdeps-*`, `-gsplit-dwarf` (`-J` of gfortran becomes `-I`: modules are read there and written elsewhere);
//! - flags that read a file that the value names: `-fprofile-use=`, `-fauto-profile=`, `-fsanitize-ignorelist=`,
//!   `-imacros`, `-fmodule-file=`, `-fpre-include=`, `--sysroot`, `-isysroot`, `-iprefix`, `-fuse-ld=`,
//!   `-finput-charset=` (iconv's modules).

use super::names::{DIALECT, FORTRAN, OPTIMISATIONS, TARGET};
use super::shape::Shape::{
    self, Definition, Identifier, Number, Numbers, OneOf, Parameter, Triple, Word, Words,
};

/// The purpose of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The language of the source.
    Language,
    /// The language's standard and dialect.
    Standard,
    /// The optimisation level.
    Level,
    /// The processor and the binary interface.
    Target,
    /// One optimisation, or another property of the code (instrumentation, protection, exceptions).
    Code,
    /// The places of headers and modules, and the files read before the source.
    Include,
    /// Macros.
    Definition,
    /// Without effect on a report: outputs, warnings, debug information, the linker. Dropped without a message.
    Irrelevant,
}

/// The form of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Exactly these words.
    Plain(&'static [&'static str]),
    /// `PREFIX` with each of the words, and `PREFIXno-` with it: `-fNAME` and `-fno-NAME`.
    OnOff(&'static str, &'static [&'static str]),
    /// The name with the value joined: `-std=c17`, `-O3`.
    Joined(&'static [&'static str], Shape),
    /// The value joined or as the next argument.
    Either(&'static [&'static str], Shape),
    /// A folder, joined or as the next argument; it is searched only where [`loopwright_files::sources`] permits it.
    Folder(&'static [&'static str]),
    /// A header that is read before the source, joined or as the next argument.
    Header(&'static [&'static str]),
    /// Any argument that begins with one of these.
    Prefix(&'static [&'static str]),
    /// The flag with the next argument.
    Separate(&'static [&'static str]),
}

/// One row: a flag or a group of flags.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The purpose of the flags.
    pub purpose: Purpose,
    /// The form of the flags.
    pub form: Form,
}

const fn row(purpose: Purpose, form: Form) -> Row {
    Row { purpose, form }
}

/// The rows; the first that fits decides.
pub const ROWS: [Row; 39] = [
    // `-fpreprocessed` sources (`.i`, `-x cpp-output`) are left out: in them GCC executes `#pragma GCC
    // pch_preprocess`, which maps a file of compiler state into the compiler.
    row(
        Purpose::Language,
        Form::Either(
            &["-x", "--language="],
            OneOf(&["c", "c++", "f77", "f95", "f77-cpp-input", "f95-cpp-input", "none"]),
        ),
    ),
    row(Purpose::Standard, Form::Joined(&["-std=", "--std="], Word)),
    row(
        Purpose::Standard,
        Form::Plain(&["-ansi", "-trigraphs", "-undef", "-nostdinc", "-nostdinc++", "-cpp", "-nocpp"]),
    ),
    row(Purpose::Standard, Form::Joined(&["-stdlib="], OneOf(&["libc++", "libstdc++"]))),
    row(Purpose::Level, Form::Plain(&["-O", "-Os", "-Oz", "-Og", "-Ofast"])),
    row(Purpose::Level, Form::Joined(&["-O"], Number)),
    row(Purpose::Target, Form::Joined(&["-march=", "-mtune=", "-mcpu="], Word)),
    row(Purpose::Target, Form::Either(&["--target=", "-target"], Triple)),
    row(Purpose::Target, Form::OnOff("-m", TARGET)),
    row(
        Purpose::Target,
        Form::Joined(
            &[
                "-mabi=",
                "-mcmodel=",
                "-mfpmath=",
                "-mprefer-vector-width=",
                "-mveclibabi=",
                "-mtls-dialect=",
                "-mstringop-strategy=",
                "-maddress-mode=",
                "-malign-data=",
                "-mindirect-branch=",
                "-mharden-sls=",
                "-mmove-max=",
                "-mstore-max=",
                "-masm=",
                "-mfentry-name=",
                "-mstack-protector-guard=",
                "-mstack-protector-guard-reg=",
                "-mfunction-return=",
            ],
            Word,
        ),
    ),
    row(Purpose::Target, Form::Joined(&["-mrecip=", "-mtune-ctrl="], Words)),
    row(
        Purpose::Target,
        Form::Joined(
            &[
                "-mbranch-cost=",
                "-mpreferred-stack-boundary=",
                "-mincoming-stack-boundary=",
                "-mregparm=",
                "-mlarge-data-threshold=",
                "-mstack-alignment=",
                "-mstack-protector-guard-offset=",
            ],
            Number,
        ),
    ),
    row(Purpose::Target, Form::Plain(&["-pthread", "-pthreads"])),
    row(Purpose::Code, Form::Either(&["--param=", "--param"], Parameter)),
    row(Purpose::Code, Form::OnOff("-f", OPTIMISATIONS)),
    row(Purpose::Code, Form::OnOff("-f", DIALECT)),
    row(Purpose::Code, Form::OnOff("-f", FORTRAN)),
    row(
        Purpose::Code,
        Form::Joined(
            &[
                "-fexcess-precision=",
                "-ffp-contract=",
                "-ffp-model=",
                "-ffp-exception-behavior=",
                "-ffp-eval-method=",
                "-fira-algorithm=",
                "-fira-region=",
                "-flive-patching=",
                "-freorder-blocks-algorithm=",
                "-fsimd-cost-model=",
                "-fvect-cost-model=",
                "-fstack-check=",
                "-fstack-reuse=",
                "-ftrivial-auto-var-init=",
                "-fcf-protection=",
                "-ftls-model=",
                "-fvisibility=",
                "-fzero-call-used-regs=",
                "-fveclib=",
                "-fdenormal-fp-math=",
                "-fpermitted-flt-eval-methods=",
                "-fprofile-update=",
                "-fcomplex-arithmetic=",
                "-flax-vector-conversions=",
                "-fcoarray=",
                "-fconvert=",
                "-finit-real=",
                "-finit-logical=",
                "-fstrict-flex-arrays=",
                "-fclang-abi-compat=",
                "-finline-stringops=",
            ],
            Word,
        ),
    ),
    row(
        Purpose::Code,
        Form::Joined(
            &[
                "-falign-functions=",
                "-falign-jumps=",
                "-falign-labels=",
                "-falign-loops=",
                "-fpatchable-function-entry=",
                "-flifetime-dse=",
                "-fpack-struct=",
                "-fsched-stalled-insns=",
                "-fsched-stalled-insns-dep=",
                "-ftree-parallelize-loops=",
                "-finline-limit=",
                "-finline-limit-",
                "-finline-max-stacksize=",
                "-fabi-version=",
                "-fabi-compat-version=",
                "-faligned-new=",
                "-fnew-alignment=",
                "-ftemplate-depth=",
                "-ftemplate-depth-",
                "-fconstexpr-depth=",
                "-fconstexpr-loop-limit=",
                "-fconstexpr-ops-limit=",
                "-fconstexpr-steps=",
                "-fconstexpr-cache-depth=",
                "-fbracket-depth=",
                "-fstrong-eval-order=",
                "-ftail-call-workaround=",
                "-fblas-matmul-limit=",
                "-ffixed-line-length-",
                "-ffree-line-length-",
                "-fmax-array-constructor=",
                "-fmax-identifier-length=",
                "-fmax-stack-var-size=",
                "-fmax-subrecord-length=",
                "-frecord-marker=",
                "-finit-integer=",
                "-finit-character=",
                "-finline-matmul-limit=",
                "-fopenmp-version=",
                "-fgnuc-version=",
                "-fmax-type-align=",
            ],
            Numbers,
        ),
    ),
    row(Purpose::Code, Form::Joined(&["-ffixed-line-length-", "-ffree-line-length-"], OneOf(&["none"]))),
    row(Purpose::Code, Form::Joined(&["-fopenmp="], OneOf(&["libomp", "libgomp", "libiomp5"]))),
    row(Purpose::Code, Form::Joined(&["-fstrong-eval-order="], OneOf(&["none", "some", "all"]))),
    row(
        Purpose::Code,
        Form::Joined(
            &[
                "-fsanitize=",
                "-fno-sanitize=",
                "-fsanitize-trap=",
                "-fcheck=",
                "-ffpe-trap=",
                "-ffpe-summary=",
            ],
            Words,
        ),
    ),
    row(
        Purpose::Code,
        Form::Joined(&["-fno-builtin-", "-fcall-saved-", "-fcall-used-", "-ffixed-"], Identifier),
    ),
    row(Purpose::Code, Form::Plain(&["-pg", "-p"])),
    row(Purpose::Include, Form::Folder(&["-isystem", "-iquote", "-idirafter", "-I", "-J"])),
    row(Purpose::Include, Form::Header(&["-include"])),
    row(Purpose::Definition, Form::Either(&["-D"], Definition)),
    row(Purpose::Definition, Form::Either(&["-U"], Identifier)),
    row(
        Purpose::Irrelevant,
        Form::Plain(&[
            "-c",
            "-S",
            "-v",
            "-w",
            "-H",
            "-pipe",
            "-time",
            "-shared",
            "-static",
            "-static-libgcc",
            "-static-libstdc++",
            "-rdynamic",
            "-nostdlib",
            "-nostartfiles",
            "-nodefaultlibs",
            "-pie",
            "-no-pie",
            "-s",
            "-g",
            "-MD",
            "-MMD",
            "-MP",
            "-MG",
            "-MV",
            "-M",
            "-MM",
            "-pedantic",
            "-pedantic-errors",
            "-Qunused-arguments",
            "-Winvalid-pch",
            "-fpreprocessed",
            "-fintrinsic-modules-path",
            "--",
            "-qversion",
        ]),
    ),
    row(
        Purpose::Irrelevant,
        Form::Separate(&[
            "-o",
            "-MF",
            "-MT",
            "-MQ",
            "-MJ",
            "-l",
            "-L",
            "-z",
            "-u",
            "-e",
            "-imultiarch",
            "-imultilib",
        ]),
    ),
    row(
        Purpose::Irrelevant,
        Form::Prefix(&[
            "-g0",
            "-g1",
            "-g2",
            "-g3",
            "-ggdb",
            "-gdwarf",
            "-gline",
            "-gmlt",
            "-gno-",
            "-gcolumn-",
            "-grecord-",
            "-gstatement-",
            "-gvariable-",
            "-gz",
            "-gas-",
            "-gembed-",
            "-ginline-",
            "-gstrict-",
            "-gsimple-",
        ]),
    ),
    row(Purpose::Irrelevant, Form::Prefix(&["-l", "-L"])),
    row(
        Purpose::Irrelevant,
        Form::Prefix(&[
            "-flto",
            "-fno-lto",
            "-ffat-lto-",
            "-fno-fat-lto-",
            "-fopt-info",
            "-fuse-linker-plugin",
            "-fno-use-linker-plugin",
        ]),
    ),
    row(
        Purpose::Irrelevant,
        Form::Prefix(&[
            "-fdiagnostics-color",
            "-fno-diagnostics-",
            "-fdiagnostics-show-",
            "-fcolor-diagnostics",
            "-fno-color-diagnostics",
            "-fmessage-length=",
            "-fmax-errors=",
            "-ferror-limit=",
            "-fansi-escape-codes",
            "-fcaret-diagnostics",
            "-fno-caret-diagnostics",
            "-ftemplate-backtrace-limit=",
            "-fverbose-asm",
            "-fno-verbose-asm",
            "-fident",
            "-fno-ident",
            "-frecord-",
            "-frandom-seed=",
        ]),
    ),
    row(
        Purpose::Irrelevant,
        Form::Prefix(&[
            "-ffile-prefix-map=",
            "-fdebug-prefix-map=",
            "-fmacro-prefix-map=",
            "-fcoverage-prefix-map=",
            "-fprofile-prefix-map=",
            "-fdebug-compilation-dir",
            "-fcoverage-compilation-dir",
            "-ffile-compilation-dir",
            "-fdebug-types-section",
            "-fno-debug-types-section",
            "-fstandalone-debug",
            "-fno-standalone-debug",
            "-fvar-tracking",
            "-fno-var-tracking",
            "-feliminate-unused-debug",
            "-fno-eliminate-unused-debug",
        ]),
    ),
    row(Purpose::Irrelevant, Form::Prefix(&["-Wl,", "-Wno-", "-Wall", "-Wextra", "-Werror"])),
    row(Purpose::Irrelevant, Form::Joined(&["-W"], Word)),
    row(
        Purpose::Irrelevant,
        Form::Joined(
            &[
                "-Wimplicit-fallthrough=",
                "-Wformat=",
                "-Wstrict-overflow=",
                "-Wstrict-aliasing=",
                "-Wframe-larger-than=",
                "-Wstack-usage=",
                "-Warray-bounds=",
                "-Wunused-const-variable=",
                "-Wcatch-value=",
                "-Wshift-overflow=",
                "-Wnormalized=",
            ],
            Word,
        ),
    ),
];
