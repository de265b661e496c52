/** How to get what a report does not know. */

import type { Report } from "./contract";
import { commandLine } from "./program";

/** Collections that a report may lack. */
export type Collection = "survey" | "tripcounts" | "map" | "dependencies" | "machine";

/** The command that collects it: as the report names it, else for the program as it was run. */
export function commandFor(report: Report, collection: Collection): string {
    const verb = new RegExp(`\\bloopwright(?: --?\\S+)* ${collection}\\b`);
    const named = report.missing.find((each) => each.command !== undefined && verb.test(each.command))?.command;
    if (named !== undefined) return named;
    if (collection === "machine") return "loopwright machine --measure";
    return `loopwright ${collection} -- ${commandLine(report.analysis.program.command)}`;
}
