/** What `loopwright try` measured, in the words of the text output (`crates/report/src/trials.rs`). */

import { cards } from "./advice";
import type { Analysis, FirstDifference, Part, Recommendation, TrialFacts, Tried, TriedFacts, Unsteady } from "./contract";
import {
    AGAINST_ITSELF, ANSWERS, CLOCKS, CONFIRMED, DIFFERS_BY, IN_FRESH_RUNS, LINE_INSTEAD, NONE_FASTER, NOT_CONFIRMED, NOT_TOGETHER, PAIR, TRIED_BY,
    IGNORED_LINES, TRIED_MEASURED, TRIED_OUTCOMES, TRIED_SAME, TRIED_WITHIN, UNSTEADY, UNSTEADY_IN_LINES, WAYS_OF_CHANGE,
} from "./contract/words";
import { baseName, printable } from "./names";
import { filled } from "./phrases";
import { counted, percent, ratio, ratioRange } from "./quantity";
import { type RatioScale, spreadScale } from "./ratio-scale";

/** `faster by ivdep, program 1.12× (1.07–1.26×) measured, same answer`. */
export function triedWords({ way, outcome, measured, measured_median: median, answer }: Tried): string {
    const told = median === undefined || measured === undefined ? "" : filled(TRIED_MEASURED, ratio(median), ratioRange(measured));
    const judged = answer === "same" ? TRIED_SAME : answer === "within" ? TRIED_WITHIN : "";
    return filled(TRIED_BY, TRIED_OUTCOMES[outcome], WAYS_OF_CHANGE[way]) + told + judged;
}

/** The best trial of a recommendation's change: its card has it for all loops that the change is about. */
export function triedOf(analysis: Analysis, advice: Recommendation): Tried | undefined {
    return advice.tried ?? analysis.advice?.find(({ id }) => id === advice.id)?.tried;
}

/** `same`, `different by 3e-9`; undefined where there is no answer. */
export function answerWords({ answer, largest_difference: largest }: TriedFacts): string | undefined {
    if (answer === undefined) return undefined;
    return largest === undefined || answer === "same" ? ANSWERS[answer] : filled(DIFFERS_BY, ANSWERS[answer], largest.toExponential(0));
}

/** ` (a.c, b.c)`; nothing for all files. */
function inFiles(files: readonly string[] = []): string {
    return files.length === 0 ? "" : ` (${files.map(baseName).join(", ")})`;
}

/** What was changed: options with their files, a line, a compiler, a variable. */
export function partWords(part: Part): string {
    switch (part.kind) {
        case "options":
            return part.options.join(" ") + inFiles(part.files);
        case "compiler":
            return `${baseName(part.compiler)}${inFiles(part.files)}` + (part.without?.length ? ` without ${part.without.join(" ")}` : "");
        case "profile":
            return `profile of a run${inFiles(part.files)}`;
        case "edit":
            return `${baseName(part.file)}:${part.line}`;
        case "link":
            return `${(part.options ?? []).join(" ")} (linker)` + (part.without?.length ? ` without ${part.without.join(" ")}` : "");
        case "variable":
            return `${part.name}=${part.value}`;
    }
}

/** The first line that is not accepted, and what it is instead of. */
export function insteadWords({ output, line, found, expected }: FirstDifference): string {
    return filled(LINE_INSTEAD, printable(output), line, printable(found.trim()), printable(expected.trim()));
}

/** The same of a change. */
export function differenceWords({ change, first_difference: first }: TriedFacts): string | undefined {
    return first && `${printable(change)}: ${insteadWords(first)}`;
}

/** Lines named as examples. */
const LINES = 5;

export function unsteadyWords({ output, lines = [], ignored = false }: Unsteady): string {
    const named = lines.slice(0, LINES).join(", ") + (lines.length > LINES ? ", .." : "");
    if (ignored) return filled(IGNORED_LINES, printable(output), named);
    return lines.length === 0 ? filled(UNSTEADY, printable(output)) : filled(UNSTEADY_IN_LINES, printable(output), named);
}

/** What limits all of it. */
export function notes(trials: TrialFacts): string[] {
    return [filled(AGAINST_ITSELF, percent(trials.claimed_from - 1)), ...(trials.unsteady ?? []).map(unsteadyWords)];
}

/** The best changes together, in a sentence, and whether they are confirmed. */
export function togetherWords({ together, tried }: TrialFacts): string {
    if (together === undefined) return tried.some(({ outcome }) => outcome === "faster") ? NOT_TOGETHER : NONE_FASTER;
    return freshWords(together);
}

/** What was measured on runs of its own, and whether that confirms a gain. */
export function freshWords({ measured, measured_median: median, pairs = 0, clock = "cpu", outcome }: TriedFacts): string {
    const told = median === undefined || measured === undefined ? undefined : filled(IN_FRESH_RUNS, ratio(median), ratioRange(measured), counted(pairs, ...PAIR), CLOCKS[clock]);
    if (outcome === "faster") return filled(CONFIRMED, told ?? "");
    return filled(NOT_CONFIRMED, TRIED_OUTCOMES[outcome]) + (told === undefined ? "" : `, ${told}`);
}

const ORDER: TriedFacts["outcome"][] = ["faster", "no-difference", "slower", "wrong-answer", "same-code", "not-built", "failed", "hung"];

/** What was tried, with its place in the document: what gained most first, then what could not be measured. */
export function rows({ tried }: TrialFacts): { at: number; tried: TriedFacts }[] {
    const all = tried.map((each, at) => ({ at, tried: each })).filter((row) => row.tried.outcome !== "left-alone");
    return all.sort((a, b) => ORDER.indexOf(a.tried.outcome) - ORDER.indexOf(b.tried.outcome) || (b.tried.measured_median ?? 0) - (a.tried.measured_median ?? 0) || a.at - b.at);
}

/** What was not tried, by reason; each change once. */
export function leftAlone({ tried }: TrialFacts): { why: string; changes: string[] }[] {
    const reasons = new Map<string, Set<string>>();
    for (const { change, note = "" } of tried.filter(({ outcome }) => outcome === "left-alone")) {
        reasons.set(note, (reasons.get(note) ?? new Set()).add(change));
    }
    return [...reasons].map(([why, changes]) => ({ why, changes: [...changes] }));
}

/** The title of the recommendation that a change carries out; sets of options for any program have a name only. */
export function changeTitle(analysis: Analysis, change: string): string | undefined {
    return cards(analysis).find(({ id }) => id === change)?.title;
}

/** One axis for everything that was predicted and measured. */
export function trialScale({ tried, together }: TrialFacts): RatioScale {
    const all = [...tried.filter(({ outcome }) => outcome !== "left-alone"), ...(together === undefined ? [] : [together])];
    return spreadScale(all.flatMap(({ predicted = [], measured = [], measured_median: median }) => [...predicted, ...measured, ...(median === undefined ? [] : [median])]));
}
