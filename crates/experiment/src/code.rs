//! What the binary said: modules, functions with their loops, and the ids that loops keep for as long as
//! the experiment lives.

use crate::pieces::{deflate, inflate, json};
use crate::{Error, Experiment, MachineRecord, RunId};
use loopwright_binary::facts::{FunctionCode, InstructionLine, ModuleFacts};
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// A module of a run with the functions that were described.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeModule {
    /// Index into the recording's modules.
    pub position: u32,
    /// Facts about the module. All runs of a build share them, too.
    pub facts: Arc<ModuleFacts>,
    /// Described functions by ascending address. All runs of a build share them.
    pub functions: Arc<Vec<StoredFunction>>,
}

/// Modules and machines that were read already: the runs of a state mostly name the same ones.
#[derive(Clone, Debug, Default)]
pub struct ReadModules {
    modules: HashMap<i64, (Arc<ModuleFacts>, Arc<Vec<StoredFunction>>)>,
    pub(crate) machines: HashMap<i64, Arc<MachineRecord>>,
}

/// Version of the form in which modules, functions and listings are stored. 2: warnings by their fields.
const FORM: u32 = 2;

/// Fewer values are packed or unpacked by one thread: starting others takes as long.
const FEWEST_FOR_THREADS: usize = 64;

/// Does the same to all items, on all CPUs where they are many; results in the order of the items.
fn on_all_cpus<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let share = items.len().div_ceil(cpus).max(FEWEST_FOR_THREADS);
    let (mine, others) = items.split_at(share.min(items.len()));
    let work = &work;
    std::thread::scope(|scope| {
        let workers: Vec<_> = others
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let mut all: Vec<R> = mine.iter().map(work).collect();
        for worker in workers {
            all.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}

/// A described function.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredFunction {
    /// Number in the experiment.
    pub id: i64,
    /// Numbers of its loops, in the order of `code.loops`.
    pub loop_ids: Vec<u32>,
    /// The facts, without the listing.
    pub code: FunctionCode,
}

/// The instructions of a function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// Files that the instructions refer to.
    pub files: Vec<String>,
    /// By ascending address.
    pub instructions: Vec<InstructionLine>,
}

impl Experiment {
    /// Stores what is known of module `position` of `run`. `identity` distinguishes builds: the build id,
    /// or size and time stamp where there is none. Functions described before keep their ids.
    pub fn add_code(
        &mut self,
        run: RunId,
        position: u32,
        identity: &str,
        facts: &ModuleFacts,
        functions: &[FunctionCode],
    ) -> Result<(), Error> {
        let packed = on_all_cpus(functions, |function| {
            // Listings are the bulk and only the views of one loop want them: a column of their own.
            let mut code = function.clone();
            let listing = Listing {
                files: std::mem::take(&mut code.files),
                instructions: std::mem::take(&mut code.instructions),
            };
            (deflate(&code), (!listing.instructions.is_empty()).then(|| deflate(&listing)))
        });
        self.in_transaction(|transaction| {
            let known: Option<String> = transaction
                .query_row(
                    "SELECT facts FROM module WHERE path = ?1 AND identity = ?2",
                    params![facts.path, identity],
                    |row| row.get(0),
                )
                .optional()?;
            // Each tracing run names the variables that it has seen; those of one build are the same in all.
            let mut facts = facts.clone();
            if let Some(known) = known.and_then(|known| serde_json::from_str::<ModuleFacts>(&known).ok()) {
                facts.variables.extend(known.variables);
                facts
                    .variables
                    .sort_by(|a, b| (a.address, a.size, &a.name).cmp(&(b.address, b.size, &b.name)));
                facts.variables.dedup();
            }
            let facts = &facts;
            let module: i64 = transaction.query_row(
                "INSERT INTO module (path, identity, facts, form) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (path, identity) DO UPDATE SET facts = excluded.facts, form = excluded.form RETURNING id",
                params![facts.path, identity, json(facts), FORM],
                |row| row.get(0),
            )?;
            transaction.execute(
                "INSERT OR REPLACE INTO run_module (run, position, module) VALUES (?1, ?2, ?3)",
                params![run, position, module],
            )?;
            let mut add_function = transaction.prepare(
                "INSERT INTO function (module, address, name, code, listing, form) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (module, address) DO UPDATE SET name = excluded.name, code = excluded.code,
                    listing = coalesce(excluded.listing, listing), form = excluded.form RETURNING id",
            )?;
            let mut add_loop =
                transaction.prepare("INSERT OR IGNORE INTO loop (function, position) VALUES (?1, ?2)")?;
            for (function, (code, listing)) in functions.iter().zip(&packed) {
                let known = &function.function;
                let values = params![module, known.address as i64, known.name, code, listing, FORM];
                let id: i64 = add_function.query_row(values, |row| row.get(0))?;
                for position in 0..function.loops.len() {
                    add_loop.execute(params![id, position as i64])?;
                }
            }
            Ok(())
        })
    }

    /// Everything described for the modules of `run`.
    pub fn code(&self, run: RunId) -> Result<Vec<CodeModule>, Error> {
        self.code_beside(run, &mut ReadModules::default())
    }

    /// The same, beside other runs: what one of them has read is not read again.
    pub(crate) fn code_beside(&self, run: RunId, read: &mut ReadModules) -> Result<Vec<CodeModule>, Error> {
        let found: Vec<(u32, i64)> = self.rows(
            "SELECT position, module FROM run_module WHERE run = ?1 ORDER BY position",
            [run],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let mut result = Vec::with_capacity(found.len());
        for (position, module) in found {
            let (facts, functions) = match read.modules.get(&module) {
                Some(known) => known.clone(),
                None => {
                    let new = (Arc::new(self.module_facts(module)?), Arc::new(self.functions_of(module)?));
                    read.modules.insert(module, new.clone());
                    new
                }
            };
            result.push(CodeModule { position, facts, functions });
        }
        Ok(result)
    }

    fn module_facts(&self, module: i64) -> Result<ModuleFacts, Error> {
        let (form, facts): (u32, String) = self
            .connection
            .query_row("SELECT form, facts FROM module WHERE id = ?1", [module], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .map_err(|e| self.sqlite(e))?;
        self.must_be_known("module", form, FORM)?;
        self.parse("module", &facts)
    }

    /// The described functions of a module.
    fn functions_of(&self, module: i64) -> Result<Vec<StoredFunction>, Error> {
        let mut ids: HashMap<i64, Vec<u32>> = HashMap::new();
        let loops: Vec<(i64, u32)> = self.rows(
            "SELECT function.id, loop.id FROM function JOIN loop ON loop.function = function.id
             WHERE module = ?1 ORDER BY function.id, position",
            [module],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for (function, id) in loops {
            ids.entry(function).or_default().push(id);
        }
        let stored: Vec<(i64, u32, Vec<u8>)> = self.rows(
            "SELECT id, form, code FROM function WHERE module = ?1 ORDER BY address",
            [module],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        for (_, form, _) in &stored {
            self.must_be_known("function", *form, FORM)?;
        }
        let codes = on_all_cpus(&stored, |(_, _, code)| inflate::<FunctionCode>(code));
        let mut described = Vec::with_capacity(stored.len());
        for ((id, ..), code) in stored.iter().zip(codes) {
            let code = code.map_err(|e| self.damaged("function", e))?;
            let loop_ids = ids.remove(id).unwrap_or_default();
            if loop_ids.len() < code.loops.len() {
                return Err(self.damaged("loops", "a function has more loops than ids"));
            }
            described.push(StoredFunction { id: *id, loop_ids, code });
        }
        Ok(described)
    }

    /// The listing of a described function; absent when only its callees were sampled.
    pub fn listing(&self, function: i64) -> Result<Option<Listing>, Error> {
        let stored: Option<(u32, Option<Vec<u8>>)> = self
            .connection
            .query_row("SELECT form, listing FROM function WHERE id = ?1", [function], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(|e| self.sqlite(e))?;
        let Some((form, packed)) = stored else { return Ok(None) };
        self.must_be_known("function", form, FORM)?;
        packed.map(|packed| inflate(&packed).map_err(|e| self.damaged("listing", e))).transpose()
    }

    /// The identities under which the modules of `run` are stored, by position.
    pub(crate) fn module_identities(&self, run: RunId) -> Result<Vec<(u32, String)>, Error> {
        self.rows(
            "SELECT position, identity FROM run_module JOIN module ON module.id = run_module.module
             WHERE run = ?1 ORDER BY position",
            [run],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }
}
