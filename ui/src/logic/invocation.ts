/** Command lines as one would type them; the same quoting as the text output's (`crates/report/src/names.rs`). */

import type { Analysis } from "./contract";
import { printable } from "./names";

/** A command as text for a shell. */
export function commandLine(command: readonly string[]): string {
    return command
        .map((word) => (/^[\p{L}\p{N}_\-./=:,+@%]+$/u.test(word) ? word : `'${printable(word.replaceAll("'", "'\\''"))}'`))
        .join(" ");
}

/** The way to collect more of the same program: `loopwright VERB -- PROGRAM ARGUMENTS`. */
export function collect(analysis: Analysis, verb: string): string {
    return `loopwright ${verb} -- ${commandLine(analysis.program.command)}`;
}
