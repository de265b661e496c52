/** Runs the commands that make reports, and builds the programs that they are about. */

import { spawnSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, extname, join } from "node:path";

/** Why a report cannot be made here: a tool that is not installed. */
export class Missing extends Error {}

export interface Surroundings {
    folder: string;
    environment?: Record<string, string>;
}

/** Runs a command to its end, which must be a good one; its standard output. */
export function run([program = "", ...options]: readonly string[], { folder, environment = {} }: Surroundings): string {
    const inherited = { ...process.env };
    delete inherited.LOOPWRIGHT_EXPERIMENT;
    const done = spawnSync(program, options, {
        cwd: folder,
        env: { ...inherited, LC_ALL: "C.UTF-8", ...environment },
        encoding: "utf8",
        // Not a pipe: a program that reads one cannot be run twice, so that loopwright would not count it.
        stdio: ["ignore", "pipe", "pipe"],
        maxBuffer: 1 << 28,
        timeout: 600_000,
    });
    if (done.error !== undefined) throw new Error(`${program}: ${done.error.message}`);
    if (done.status !== 0) {
        throw new Error(`${[program, ...options].join(" ")} ended with ${done.status ?? done.signal ?? "nothing"}:\n${done.stderr}\n${done.stdout.slice(-2000)}`);
    }
    return done.stdout;
}

/** A command of the system, or that it is missing. */
export function needed(command: string): string {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
        const path = join(folder, command);
        try {
            accessSync(path, constants.X_OK);
            return path;
        } catch {
            // Not in this folder.
        }
    }
    throw new Missing(`${command} is not installed`);
}

const COMPILERS: Record<string, string> = { ".c": "gcc", ".cpp": "g++", ".f90": "gfortran" };

/** Builds a file of `testprograms/`, with the compiler and the flags that its `PROGRAM` line names. */
export function build(source: string, target: string, folder: string): void {
    const line = /PROGRAM(.*)/.exec(readFileSync(source, "utf8"))?.[1] ?? "";
    const listed = (key: string) => (new RegExp(`\\b${key}=(\\S+)`).exec(line)?.[1] ?? "").split(",").filter(Boolean);
    const compiler = listed("compilers")[0] ?? COMPILERS[extname(source)];
    if (compiler === undefined) throw new Error(`${source}: no compiler is known for such a file`);
    run([needed(compiler), "-O2", "-g", ...listed("flags"), "-o", target, source, ...listed("links")], { folder });
}
