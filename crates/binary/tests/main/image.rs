//! ELF images against other tools, on programs that the machine's compilers build.

mod build;
mod damage;
mod debug_files;
mod functions;
mod lines;
mod oracle;
