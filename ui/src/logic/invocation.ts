/** How to collect more of the program that is shown. */

import type { Analysis } from "./contract";
import { commandLine } from "./program";

/** `loopwright VERB -- PROGRAM ARGUMENTS`. */
export function collect(analysis: Analysis, verb: string): string {
    return `loopwright ${verb} -- ${commandLine(analysis.program.command)}`;
}
