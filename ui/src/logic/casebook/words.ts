/** The casebook in words. */

import type { CaseRecord, CasebookDocument, Estimate, Expectation, Ladder, StageRecord } from "../contract";
import type { Badge } from "../compare";
import { NONE_EXPECTED, NOT_GIVEN_FOR, NOT_TIMED, ROUNDS, TOO_LATE } from "../contract/words";
import { elided } from "../names";
import { filled } from "../phrases";
import { count, counted, percent, ratioRange, share } from "../quantity";
import { type CasebookRoute, shownCase } from "./route";
import { fromStage, type Miss, TOP } from "./cases";

export function casebookHeading(book: CasebookDocument, route: CasebookRoute): string {
    const record = shownCase(book, route);
    if (record !== undefined) return elided(record.title, 160);
    return route.name === undefined ? "Casebook" : `No case is called ${elided(route.name, 60)}`;
}

export function casebookTitle(book: CasebookDocument, route: CasebookRoute): string {
    const heading = casebookHeading(book, route);
    return (heading === "Casebook" ? [heading, "loopwright"] : [heading, "Casebook", "loopwright"]).join(" · ");
}

/** How a ladder was measured: compilers in their own words, and how often they took turns. */
export function ladderNote({ versions, rounds }: Ladder): string {
    return [...versions, rounds === 0 ? NOT_TIMED : filled(ROUNDS, count(rounds))].join("; ");
}

/** Half the interval against the median, in percent. */
export function spread({ median, low, high }: Estimate): string {
    return `±${percent((high - low) / 2 / median)} %`;
}

export function interval({ low, high }: Estimate): string {
    return ratioRange([low, high]);
}

/** What is known of a stage without a time. */
export type State = "wrong" | "left out" | "verified" | "measured";

export function stateOf({ wrong, left_out, measured }: StageRecord): State {
    if (wrong !== undefined) return "wrong";
    if (left_out !== undefined) return "left out";
    return measured === undefined ? "verified" : "measured";
}

/** Whether the advice led here; nothing where it could not. */
export function adviceTold(ladder: Ladder, stage: StageRecord): Badge | undefined {
    const { rung, because, expected = [] } = stage;
    if (rung === undefined) return because === undefined ? undefined : { word: NONE_EXPECTED, sign: "–", tone: "plain" };
    if (rung.id === undefined || rung.rank === undefined) {
        return { word: filled(NOT_GIVEN_FOR, expected.join(" or "), fromStage(ladder, stage)?.name ?? "the stage before"), sign: "✗", tone: "caution" };
    }
    const place = `place ${rung.rank}: ${rung.id}`;
    return rung.rank <= TOP ? { word: place, sign: "✓", tone: "good" } : { word: filled(TOO_LATE, place), sign: "!", tone: "caution" };
}

/** Whether the prediction held. */
export function predictionTold({ rung }: StageRecord): Badge | undefined {
    if (rung?.came_true === undefined) return undefined;
    return rung.came_true ? { word: "came true", sign: "✓", tone: "good" } : { word: "did not come true", sign: "✗", tone: "caution" };
}

export const MISSES: Record<Miss, string> = {
    "not-given": "the expected advice was not given",
    "too-late": "the expected advice came too late",
    "gained-more": "gained more than predicted",
    "gained-less": "gained less than predicted",
};

/** `8 of 10 (80 %)`. */
export function ofAll(part: number, all: number): string {
    return all === 0 ? "none to hold" : `${count(part)} of ${count(all)} (${share(part / all)})`;
}

/** How a result is compared with the first stage's, a bound or an analytic answer. */
export function heldAgainst({ relative, absolute, exact, at_most, ignore, value }: Expectation): string {
    if (ignore === true) return "not compared";
    if (at_most !== undefined) return `at most ${at_most}`;
    const to = value === undefined ? "the first stage's" : String(value);
    if (exact === true) return `exactly ${to}`;
    if (relative !== undefined) return `${to}, within ${relative} of it`;
    return absolute === undefined ? to : `${to}, within ${absolute}`;
}

/** A result with as many digits as the page keeps. */
export function resultText(value: number): string {
    return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(7)));
}

/** What a ladder's chart shows, for who cannot see it. */
export function chartWords(ladder: Ladder): string {
    const timed = ladder.stages.filter(({ measured }) => measured !== undefined).length;
    return `${counted(timed, "stage", "stages")} as bars of time on one axis, each with the gain of the program against the stage before`;
}

/** Where and with what it was measured: `full input on 8 CPUs of NAME`. */
export function measuredOn({ input, cpus, processor }: Pick<CaseRecord, "input" | "cpus" | "processor">): string {
    return `${input === "smoke" ? "small" : input} input, ${counted(cpus, "CPU", "CPUs")} of ${processor}`;
}
