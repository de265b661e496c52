/** What views are called, in the navigation, as headings and in the window's title. */

import type { Report } from "./contract";
import { loopsById } from "./groups";
import { hottest } from "./loop-page/neighbours";
import { elided, elidedFunction, functionName, place } from "./names";
import type { Route, View } from "./route";

const TITLES: Record<View, string> = {
    summary: "Summary",
    loops: "Loops",
    functions: "Functions",
    tree: "Top-down tree",
    flame: "Flame graph",
    code: "Source and assembly",
    roofline: "Roofline",
    trials: "Trials",
    tuning: "Tuning",
    reproduce: "Reproduce",
    energy: "Energy",
    messages: "Messages",
    compare: "Compare",
    loop: "Loop",
};

export function viewTitle(view: View): string {
    return TITLES[view];
}

/** Views that can be chosen: a loop is reached from wherever it is named, without an earlier state there is nothing to compare, and trials, searches, comparisons of answers, energies and calls of MPI are shown where they were made. */
export function offered(report: Report): View[] {
    const views: View[] = ["summary", "loops", "functions", "tree", "flame", "code", "roofline"];
    const { trials, tuning, reproduction, energy, comm } = report.analysis;
    if (trials !== undefined) views.push("trials");
    if (tuning !== undefined) views.push("tuning");
    if (reproduction !== undefined) views.push("reproduce");
    if (energy !== undefined) views.push("energy");
    if (comm !== undefined) views.push("messages");
    return report.comparison === undefined ? views : [...views, "compare"];
}

/** Heading of the view: `Loops`, `Loop 12: collide, site.c:25`. */
export function heading(report: Report, route: Route): string {
    const title = viewTitle(route.view);
    if (route.view !== "loop" && (route.view !== "code" || route.loop === undefined)) return title;
    const loop = route.loop === undefined ? hottest(report.analysis) : loopsById(report.analysis).get(route.loop);
    if (loop === undefined) return route.loop === undefined ? title : `${title} ${route.loop}`;
    const name = `${elidedFunction(functionName(loop), 60)}, ${elided(place(loop), 60)}`;
    return route.view === "loop" ? `Loop ${loop.id}: ${name}` : `${title}: ${name}`;
}

/** Title of the window: the most particular first, for tabs show its beginning. */
export function windowTitle(report: Report, route: Route): string {
    const [program = ""] = report.analysis.program.command;
    const name = program.slice(program.lastIndexOf("/") + 1);
    return [heading(report, route), elided(name, 40), "loopwright"].filter((part) => part !== "").join(" · ");
}
