//! The functions of a source that change the answer.

use super::culprits::culprits;
use super::exchange::{Compiled, Exchange, NoExchange};
use super::{FUNCTIONS, Halt, Search, code, kept};
use crate::asked::Error;
use crate::line::resolved;
use loopwright_experiment::reproduction::{CulpritFunction, FileCulprits, Halted, Inlining};
use std::collections::BTreeMap;
use std::path::Path;

/// Functions are compiled without inlining first: else what is called is part of what calls it. Loops over containers may need that
/// what the source declares as inline is.
const WAYS: [Inlining; 3] = [Inlining::None, Inlining::Declared, Inlining::AsBuilt];

impl From<NoExchange> for Halt {
    fn from(none: NoExchange) -> Self {
        match none {
            NoExchange::Fault(fault) => fault.into(),
            NoExchange::Reason(reason) => Self::Halted(Halted::NotExchanged { reason }),
        }
    }
}

impl Search<'_, '_> {
    /// Those of one source, all others as in the first build.
    pub(super) fn functions(&mut self, file: &str) -> Result<FileCulprits, Error> {
        let none = FileCulprits {
            file: file.to_owned(),
            functions: Vec::new(),
            inlining: Inlining::AsBuilt,
            halted: None,
        };
        let mut reason = None;
        for inlining in WAYS {
            match self.functions_of(file, inlining) {
                Ok((functions, halted)) => {
                    return Ok(FileCulprits { functions, inlining, halted, ..none });
                }
                Err(Halt::Error(error)) => return Err(error),
                Err(Halt::Halted(halted)) => {
                    let is_final = matches!(halted, Halted::Time | Halted::Stopped);
                    reason = Some(halted);
                    if is_final {
                        break;
                    }
                }
            }
        }
        Ok(FileCulprits { halted: reason, ..none })
    }

    fn functions_of(
        &mut self,
        file: &str,
        inlining: Inlining,
    ) -> Result<(Vec<Vec<CulpritFunction>>, Option<Halted>), Halt> {
        let &[line] = &self.sides.lines_of(file)[..] else {
            let reason = "the source is compiled by several commands".to_owned();
            return Err(Halt::Halted(Halted::NotExchanged { reason }));
        };
        let sides = [(false, &self.sides.good), (true, &self.sides.bad)].map(|(second, side)| Compiled {
            options: side.options.clone(),
            compiler: self.sides.compiler(second, file),
        });
        let mut exchange = Exchange::new(&mut self.workshop, line, [&sides[0], &sides[1]], inlining)?;
        let count = exchange.texts.functions.len();
        let source = resolved(Path::new(file));
        let parts = self.sides.parts(&[], None);
        let mut test = |search: &mut Self, on: &[usize]| -> Result<bool, Halt> {
            let object = exchange.object(&search.workshop, line, on)?;
            let objects = BTreeMap::from([(source.clone(), object)]);
            search.differs(FUNCTIONS, |workshop| workshop.with_objects(&parts, objects))
        };
        if test(self, &[])? {
            let reason = "with all functions of the first build the answer is another one".to_owned();
            return Err(Halt::Halted(Halted::NotExchanged { reason }));
        }
        let every: Vec<usize> = (0..count).collect();
        if !test(self, &every)? {
            return Err(Halt::Halted(Halted::Vanished));
        }
        let found = culprits(count, |on| test(self, on));
        let (sets, halted) = kept(found).map_err(Halt::Error)?;
        let texts = &exchange.texts;
        let one = |number: &usize| {
            let function = &texts.functions[*number];
            // In the texts it has the name of its first symbol.
            let changes = code::changes(&texts.good, &texts.bad, &function.symbols[0]);
            CulpritFunction { name: loopwright_binary::image::demangle(&function.name), changes }
        };
        Ok((sets.iter().map(|set| set.iter().map(one).collect()).collect(), halted))
    }
}
