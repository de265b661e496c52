/** The command that would provide what is not known of a loop. */

import type { Analysis } from "../contract";
import { commandLine } from "../shell";

export function survey({ program }: Analysis): string {
    return `loopwright survey -- ${commandLine(program.command)}`;
}

/** Counts; code that a first counting run left out needs `--all`. */
export function counts({ program, counts: known }: Analysis): string {
    return `loopwright tripcounts${known === undefined ? "" : " --all"} -- ${commandLine(program.command)}`;
}

export function map({ program }: Analysis, id: number): string {
    return `loopwright map --loops ${id} -- ${commandLine(program.command)}`;
}

export function dependencies({ program }: Analysis, id: number, exhaustive = false): string {
    return `loopwright dependencies --loops ${id}${exhaustive ? " --exhaustive" : ""} -- ${commandLine(program.command)}`;
}

export function bottlenecks({ program }: Analysis, id: number): string {
    return `loopwright bottlenecks --loops ${id} -- ${commandLine(program.command)}`;
}

export const CEILINGS = "loopwright machine --measure";
export const REMARKS = "loopwright remarks";
