/** What the list of cases says: how far each came, and where the advice was wrong. */

import type { CaseRecord, Estimate, HitRate, Ladder, StageRecord } from "../contract";

/** Places that count as recommended, as in the harness. */
export const TOP = 3;

/** A stage within its ladder and case; the numbers are places in the document. */
export interface Step {
    record: CaseRecord;
    ladder: Ladder;
    stage: StageRecord;
    /** `2/0/1`: the case, its ladder, its stage. */
    path: string;
}

/** Language and compiler: `fortran, gcc`. */
export function ladderName({ track, family }: Ladder): string {
    return track === undefined ? family : `${track}, ${family}`;
}

export function steps(cases: readonly CaseRecord[]): Step[] {
    return cases.flatMap((record, c) => record.ladders.flatMap((ladder, l) => ladder.stages.map((stage, s) => ({ record, ladder, stage, path: `${c}/${l}/${s}` }))));
}

/** The stage that this one is compared with. */
export function fromStage({ stages }: Ladder, { from }: StageRecord): StageRecord | undefined {
    return from === undefined ? undefined : stages[from];
}

export function recommended({ rung }: StageRecord): boolean {
    return rung?.rank !== undefined && rung.rank <= TOP;
}

/** How often the advice was right, over some cases. */
export function hitRate(cases: readonly CaseRecord[]): HitRate {
    const stages = steps(cases).map(({ stage }) => stage);
    const held = stages.filter(({ rung }) => rung !== undefined);
    const judged = held.filter(({ rung }) => rung?.came_true !== undefined);
    return {
        rungs: held.length,
        recommended: held.filter(recommended).length,
        predicted: judged.length,
        came_true: judged.filter(({ rung }) => rung?.came_true === true).length,
    };
}

/** The largest gain against a first stage, and where it was reached. */
export interface Best {
    step: Step;
    gain: Estimate;
}

export function best(cases: readonly CaseRecord[]): Best | undefined {
    let found: Best | undefined;
    for (const step of steps(cases)) {
        const gain = step.stage.measured?.gain_first;
        if (gain !== undefined && gain.median > (found?.gain.median ?? 0)) found = { step, gain };
    }
    return found;
}

/** Stages that compute something wrong. */
export function wrongSteps(cases: readonly CaseRecord[]): Step[] {
    return steps(cases).filter(({ stage }) => stage.wrong !== undefined);
}

/** What was wrong about the advice that should have led to a stage. */
export type Miss = "not-given" | "too-late" | "gained-more" | "gained-less";

/** What was wrong with a rung; a rung can be wrong in both its place and its prediction. */
export function missesOf({ rung, measured }: StageRecord): Miss[] {
    if (rung === undefined) return [];
    const misses: Miss[] = [];
    if (rung.rank === undefined) misses.push("not-given");
    else if (rung.rank > TOP) misses.push("too-late");
    if (rung.came_true === false) {
        const [low = 0, high = 0] = rung.predicted ?? [];
        misses.push((measured?.program_gain?.median ?? 0) > (low + high) / 2 ? "gained-more" : "gained-less");
    }
    return misses;
}

export interface Missed extends Step {
    misses: Miss[];
}

export function missed(cases: readonly CaseRecord[]): Missed[] {
    return steps(cases).flatMap((step) => {
        const misses = missesOf(step.stage);
        return misses.length === 0 ? [] : [{ ...step, misses }];
    });
}

/** Names of what a list names, each once, in their order: languages, processors. */
export function distinct(names: readonly string[]): string[] {
    return [...new Set(names)];
}

/** Stages of all ladders by their names, in the order of the book; a ladder may lack some. */
export function stageNames(record: CaseRecord): string[] {
    return distinct(record.ladders.flatMap(({ stages }) => stages.map(({ name }) => name)));
}
