/**
 * Makes the reports that the tests look at, once for all of them: builds programs of the repository, runs loopwright on
 * them, and writes for each the page and the same document as JSON.
 *
 * `LOOPWRIGHT` names the binary under test. The reports stay in `LOOPWRIGHT_REPORTS` and are made again when the binary or
 * their programs change. `LOOPWRIGHT_PAGE` names a built page to look at instead of the one within the binary: the
 * documents are put into it, which spares building the binary anew for each change to the page. `LOOPWRIGHT_ONLY_REPORTS`
 * names the recipes to follow, separated by commas.
 */

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { CaseRecord } from "../src/logic/contract";
import { casebookFixture } from "../src/logic/casebook/casebook.fixture";
import { Missing, build, needed, run } from "./support/commands";
import { type Files, type Manifest, type PageName, type ReportName, folderOfReports, manifestPath, rounded } from "./support/manifest";

const repository = resolve(import.meta.dirname, "../..");
const testprograms = join(repository, "testprograms");
/** A program of four ranks whose calls follow from its source. */
const MESSAGES = join(repository, "crates/loopwright/tests/tool/comm/calls.c");

/** What a recipe works with. */
interface Kitchen {
    loopwright: string;
    /** Its own folder, kept between runs. */
    folder: string;
    /** The environment of all runs: measured ceilings are kept here and not in the user's home. */
    environment: Record<string, string>;
}

/** How a report is made: everything that it depends on, and the commands. */
interface Recipe {
    sources: string[];
    /** It is written into the page at once. */
    synthetic?: boolean;
    make(kitchen: Kitchen): void;
}

function loopwright(kitchen: Kitchen, options: string[], before: string[] = []): string {
    return run([...before, kitchen.loopwright, "--quiet", "--experiment", join(kitchen.folder, "experiment.lw"), ...options], kitchen);
}

function write(kitchen: Kitchen, name: string, options: string[] = []): void {
    loopwright(kitchen, ["report", ...options, "--html", join(kitchen.folder, `${name}.html`), "--json", join(kitchen.folder, `${name}.json`)]);
}

function program(kitchen: Kitchen, file: string): string {
    const target = join(kitchen.folder, "program");
    build(join(testprograms, file), target, kitchen.folder);
    return target;
}

// Time in a library with many loops and no source, then in ufuncs, for about two seconds.
const NUMPY = `import time
import numpy as np

size = 400
a = np.random.default_rng(1).random((size, size))
b = a.copy()
end = time.process_time() + 1.0
while time.process_time() < end:
    b = a @ b / size
x = np.linspace(0.0, 1.0, 200_000)
total = 0.0
while time.process_time() < end + 1.0:
    for k in range(10):
        y = np.sqrt(x * x + k) - 0.5 * x
        total += float(np.where(y > 0.5, y, -y).sum())
print(total, b.sum())
`;

/** The demo, and how it compares after a build that lets the compiler use vectors. */
function demo(kitchen: Kitchen): void {
    const own = join(kitchen.folder, "demo/lbm");
    rmSync(own, { recursive: true, force: true });
    cpSync(join(repository, "demo/lbm"), own, { recursive: true, filter: (path) => !/\.o$|\/lbm\/lbm$/.test(path) });
    const make = (flags: string) => run([needed("make"), "-s", "-C", own, `CFLAGS=${flags}`], kitchen);
    // A third of its steps is enough for the tests; pictures show the whole run.
    const steps = process.env.LOOPWRIGHT_DEMO_STEPS ?? "4000";
    // As from the root of a checkout: the run's folder is the kitchen's.
    const lbm = ["demo/lbm/lbm", "--steps", steps];
    needed("gcc");
    make("-O2 -g");
    loopwright(kitchen, ["advise", "--deep", "--", ...lbm]);
    write(kitchen, "lbm");
    loopwright(kitchen, ["snapshot", "before"]);
    run([needed("make"), "-s", "-C", own, "clean"], kitchen);
    make("-O3 -g -march=native -ffast-math");
    loopwright(kitchen, ["advise", "--", ...lbm]);
    loopwright(kitchen, ["tripcounts", "--", ...lbm]);
    write(kitchen, "compare", ["--against", "before"]);
    // The other way round: loops that stop being vectorised.
    write(kitchen, "regression", ["--against", "latest", "--state", "before"]);
}

/** The demo with what binds its loops, then with its advice tried, the best build searched for, the answers of two builds compared, and its energy modelled. */
function tried(kitchen: Kitchen): void {
    const own = join(kitchen.folder, "demo/lbm");
    cpSync(join(repository, "demo/lbm"), own, { recursive: true, filter: (path) => !/\.o$|\/lbm\/lbm$/.test(path) });
    needed("gcc");
    loopwright(kitchen, ["build", "--", needed("make"), "-s", "-C", own, "CFLAGS=-O2 -g"]);
    const lbm = (steps: number) => ["--", "demo/lbm/lbm", "--steps", String(steps)];
    loopwright(kitchen, ["bottlenecks", ...lbm(1000)]);
    write(kitchen, "bound");
    // Runs are short here: each change takes a dozen of them. A machine that does other things needs most of the time.
    loopwright(kitchen, ["advise", ...lbm(200)]);
    loopwright(kitchen, ["try", "--budget", "240s", "--only", "advice", ...lbm(200)]);
    loopwright(kitchen, ["tune", "--axes", "flags", "--fp", "fast", "--budget", "40s,30runs", ...lbm(200)]);
    loopwright(kitchen, ["reproduce", "--good", "-O2 -ffp-contract=off", "--bad", "-O3 -march=native -ffast-math", "--budget", "40s", ...lbm(200)]);
    // By a model: no counters are needed, and every number of threads takes the same time.
    loopwright(kitchen, ["energy", "--idle-watts", "60", "--core-watts", "5", "--threads", "1,2", "--rounds", "1", ...lbm(200)]);
    write(kitchen, "tried");
}

/** Reports of programs that do not exist, of any size or nastiness; their writer is beside the binary or is built now. */
function synthetic(name: ReportName, options: string[]): Recipe {
    return {
        sources: [],
        synthetic: true,
        make(kitchen) {
            const to = (kind: string) => join(kitchen.folder, `${name}.${kind}`);
            const page = process.env.LOOPWRIGHT_PAGE;
            const template = page === undefined ? [] : ["--template", resolve(page)];
            const all = [...options, ...template, "--json", to("json"), "--html", to("html")];
            const beside = process.env.LOOPWRIGHT_LARGE_REPORT ?? join(dirname(kitchen.loopwright), "examples/large_report");
            if (existsSync(beside)) run([beside, ...all], kitchen);
            else run([needed("cargo"), "run", "--quiet", "--locked", "-p", "loopwright-report", "--example", "large_report", "--", ...all], { folder: repository });
        },
    };
}

/** A casebook of cases that do not exist: the tool finds their records where runs would have left them. */
function casebook(kitchen: Kitchen): void {
    const [cases, results] = [join(kitchen.folder, "cases"), join(kitchen.folder, "results")];
    for (const record of casebookFixture) {
        const folder = join(cases, record.case);
        mkdirSync(folder, { recursive: true });
        mkdirSync(join(results, record.case), { recursive: true });
        writeFileSync(join(folder, "driver.c"), "");
        writeFileSync(join(folder, "case.toml"), CASE.replace("ORDER", String(record.order)).replace("STAGES", record.case === "cells" ? sourced(folder, record) : STAGES));
        writeFileSync(join(results, record.case, "record.json"), JSON.stringify(record));
    }
    const to = (kind: string) => join(kitchen.folder, `casebook.${kind}`);
    run([kitchen.loopwright, "--quiet", "case", "--casebook", cases, "--results", results, "report", "--html", to("html"), "--json", to("json")], kitchen);
}

/** Stages of the record's names that are written down, each with one statement of its own. */
function sourced(folder: string, { ladders: [ladder] }: CaseRecord): string {
    const names = ladder?.stages.map(({ name }) => name) ?? [];
    return names
        .map((name, at) => {
            writeFileSync(join(folder, `${name}.c`), `#include "cells.h"\n\nvoid step(int n)\n{\n    for (int i = 0; i < n; i++)\n        /* </script> */ ${name}(i);\n}\n`);
            writeFileSync(join(folder, "cells.h"), "void step(int n);\n");
            return `[[stage]]\nname = "${name}"\ntitle = "t"\nchange = "c"\nsources = ["${name}.c"]\n${at > 0 ? 'because = "b"\n' : ""}`;
        })
        .join("\n");
}

// What the page shows is in the records; the tool wants the case beside them.
const CASE = `order = ORDER
title = "t"
source = "s"
problem = "p"
[inputs]
full = []
smoke = []
[compare]
sum = { exact = true }
[build]
sources = ["driver.c"]
STAGES`;

const STAGES = `[[stage]]
name = "first"
title = "t"
change = "c"
[[stage]]
name = "second"
title = "t"
change = "c"
because = "b"
`;

/** Recipes by folder; one may make several reports. */
const RECIPES: Record<string, Recipe & { makes: PageName[] }> = {
    demo: { makes: ["lbm", "compare", "regression"], sources: [join(repository, "demo/lbm")], make: demo },
    tried: { makes: ["bound", "tried"], sources: [join(repository, "demo/lbm")], make: tried },
    fortran: {
        makes: ["heat", "sampled"],
        sources: [join(testprograms, "heat.f90")],
        make(kitchen) {
            // Long enough for a hundred samples where timers tick 250 times a second.
            const heat = [program(kitchen, "heat.f90"), "4000"];
            loopwright(kitchen, ["survey", "--", ...heat]);
            write(kitchen, "sampled");
            loopwright(kitchen, ["advise", "--deep", "--", ...heat]);
            write(kitchen, "heat");
        },
    },
    numpy: {
        makes: ["numpy"],
        sources: [],
        make(kitchen) {
            const python = process.env.LOOPWRIGHT_TEST_PYTHON;
            if (python === undefined) throw new Missing("LOOPWRIGHT_TEST_PYTHON names no Python with NumPy");
            loopwright(kitchen, ["advise", "--", python, "-c", NUMPY]);
            write(kitchen, "numpy");
        },
    },
    mpi: {
        makes: ["mpi"],
        sources: [join(testprograms, "mpi.c")],
        make(kitchen) {
            const ranks = [needed("mpirun"), "--allow-run-as-root", "--oversubscribe", "-n", "2"];
            const command = ["--", program(kitchen, "mpi.c"), "0.5"];
            loopwright(kitchen, ["advise", ...command], ranks);
            loopwright(kitchen, ["tripcounts", ...command], ranks);
            write(kitchen, "mpi");
        },
    },
    messages: {
        makes: ["messages"],
        sources: [MESSAGES],
        make(kitchen) {
            const target = join(kitchen.folder, "calls");
            run([needed("mpicc"), "-O2", "-g", "-w", "-o", target, MESSAGES], kitchen);
            loopwright(kitchen, ["comm", "--", target], [needed("mpirun"), "--allow-run-as-root", "--oversubscribe", "-n", "4"]);
            write(kitchen, "messages");
        },
    },
    openmp: {
        makes: ["threads"],
        sources: [join(testprograms, "threads.c")],
        make(kitchen) {
            const four = { ...kitchen, environment: { ...kitchen.environment, OMP_NUM_THREADS: "4" } };
            loopwright(four, ["advise", "--deep", "--", program(kitchen, "threads.c"), "0.5"]);
            write(four, "threads");
        },
    },
    casebook: { makes: ["casebook"], sources: [join(repository, "ui/src/logic/casebook/casebook.fixture.ts")], make: casebook },
    hostile: { makes: ["hostile"], ...synthetic("hostile", ["--loops", "120", "--functions", "30", "--hostile"]) },
    large: { makes: ["large"], ...synthetic("large", ["--loops", "20000", "--functions", "500"]) },
};

/** The page that is not the binary's own. */
function pageUsed(): string[] {
    const page = process.env.LOOPWRIGHT_PAGE;
    return page === undefined ? [] : [readFileSync(page, "utf8")];
}

function digest(paths: string[], more: string[]): string {
    const hash = createHash("sha256");
    const add = (path: string) => {
        if (statSync(path).isDirectory()) for (const each of readdirSync(path).sort()) add(join(path, each));
        else if (!/\.o$|\/lbm\/lbm$/.test(path)) hash.update(path).update(readFileSync(path));
    };
    for (const path of paths) add(path);
    for (const text of more) hash.update(text);
    return hash.digest("hex");
}

/** Puts a rounded document into a page as the binary does, but for its tables. */
function fill(page: string, document: string): string {
    const packed = gzipSync(document).toString("base64");
    return page.replace("<!--loopwright:document-->", () => `<script type="application/gzip" id="document">${packed}</script>`);
}

export default function makeReports(): void {
    const root = folderOfReports();
    mkdirSync(root, { recursive: true });
    const binary = process.env.LOOPWRIGHT ?? join(repository, "target/debug/loopwright");
    if (!existsSync(binary)) throw new Error(`${binary} does not exist: build loopwright, or name the binary in LOOPWRIGHT`);
    const { mtimeMs, size } = statSync(binary);
    const manifest: Manifest = {};
    const only = process.env.LOOPWRIGHT_ONLY_REPORTS?.split(",");
    for (const [name, recipe] of Object.entries(RECIPES)) {
        if (only?.includes(name) === false) continue;
        const folder = join(root, name);
        const made = join(folder, "made-of");
        const of = digest([...recipe.sources, import.meta.filename, ...["commands.ts", "manifest.ts"].map((file) => join(import.meta.dirname, "support", file))], [binary, String(mtimeMs), String(size), process.env.LOOPWRIGHT_TEST_PYTHON ?? "", process.env.LOOPWRIGHT_DEMO_STEPS ?? "", ...(recipe.synthetic === true ? pageUsed() : [])]);
        const entry = (key: PageName): Files => ({ html: join(folder, `${key}.html`), json: join(folder, `${key}.json`), rounded: join(folder, `${key}.rounded.json`) });
        try {
            if (!existsSync(made) || readFileSync(made, "utf8") !== of) {
                console.log(`making the report of ${name}`);
                rmSync(folder, { recursive: true, force: true });
                mkdirSync(folder, { recursive: true });
                recipe.make({ loopwright: binary, folder, environment: { XDG_CACHE_HOME: join(root, "cache") } });
                for (const key of recipe.makes) {
                    const { json, rounded: to } = entry(key);
                    writeFileSync(to, rounded(readFileSync(json, "utf8")));
                }
                writeFileSync(made, of);
            }
            for (const key of recipe.makes) manifest[key] = entry(key);
        } catch (error) {
            if (!(error instanceof Missing) || process.env.LOOPWRIGHT_REQUIRE_ALL === "1") throw error;
            for (const key of recipe.makes) manifest[key] = { missing: error.message };
        }
    }
    if (process.env.LOOPWRIGHT_PAGE !== undefined) {
        const page = readFileSync(process.env.LOOPWRIGHT_PAGE, "utf8");
        for (const [name, entry] of Object.entries(manifest)) {
            // Synthetic reports were written into that page.
            if ("missing" in entry || name === "hostile" || name === "large") continue;
            const html = entry.html.replace(/\.html$/, ".other.html");
            writeFileSync(html, fill(page, readFileSync(entry.rounded, "utf8")));
            entry.html = html;
        }
    }
    writeFileSync(manifestPath(), JSON.stringify(manifest, undefined, 4));
}
