/** What `loopwright tune` found, in the words of the text output (`crates/report/src/tuning.rs`). */

import type { BuiltLoop, DisturbanceFacts, Part, RebuiltLoop, TriedFacts, TuneFacts, TuneMetric, TunedFacts } from "./contract";
import { AGAINST_ITSELF, COMPARED_CPU, COMPARED_PRINTED, COMPARED_RATE, COMPARED_WALL, DISTURBED_RUNS, FLOAT_SEMANTICS, GIVEN_UP, NO_BETTER_BUILD, SCALAR_LOOP, SEVERAL_PROCESSORS, TRIED_OUTCOMES, TUNE_AXES, TUNE_RUNS, VECTORS_AT_A_TIME, WHO_CHANGED_IT } from "./contract/words";
import { copiedOptions } from "./copied";
import { type GainRow, byGain } from "./gains";
import { isaName } from "./loop-words";
import { baseName, elided, printable } from "./names";
import { filled } from "./phrases";
import { percent, rate, ratio, ratioRange, share, time } from "./quantity";
import { type SortColumn, type SortOrder, type SortedRow, sortOrder, sortedRows } from "./sorted-table";
import { answerWords, freshWords, insteadWords, partWords, unsteadyWords } from "./trials";

/** Characters of a build's name, and of a message or of its options in a table. */
export const LONGEST = 80;
const MESSAGE = 500;

/** A candidate with its number in the document. */
export type Candidate = SortedRow<TunedFacts>;

const all = ({ candidates }: TuneFacts): Candidate[] => candidates.map((facts, at) => ({ at, facts }));

/** The best build is called one only where runs of its own confirm it. */
export function isConfirmed({ best }: TuneFacts): boolean {
    return best?.outcome === "faster";
}

/** The rows of the picture: the best on runs of its own, then the search, the fastest first. */
export function drawn(tuning: TuneFacts): GainRow[] {
    const { best } = tuning;
    const searched = all(tuning).map(({ at, facts: { tried, given_up: rough = false } }): GainRow => ({ at: `tuning.candidates.${at}.tried`, name: tried.change, tried, rough }));
    const fresh: GainRow[] = best?.measured_median === undefined ? [] : [{ at: "tuning.best", name: best.change, tried: best, rough: false, mark: isConfirmed(tuning) ? "best, confirmed on fresh runs" : "not confirmed on fresh runs" }];
    return [...fresh, ...byGain(searched)];
}

/** Builds that were not measured, with the reason that they share. */
export interface Rejected {
    outcome: TriedFacts["outcome"];
    why: string;
    builds: string[];
}

const SEVERITY: readonly TriedFacts["outcome"][] = ["wrong-answer", "failed", "hung", "not-built", "same-code", "left-alone"];

/** By how much and where an answer differs, what a compiler said, how a run ended. */
function whyRejected(tried: TriedFacts): string {
    const { note, first_difference: first, outcome } = tried;
    if (note !== undefined) return elided(note, MESSAGE);
    const answer = outcome === "wrong-answer" ? answerWords(tried) : undefined;
    return [answer, first && elided(insteadWords(first), MESSAGE)].filter((part) => part !== undefined).join("; ");
}

/** What has no place in the picture, by outcome and reason. */
export function rejected({ candidates }: TuneFacts): Rejected[] {
    const groups = new Map<string, Rejected>();
    for (const { tried } of candidates) {
        if (tried.measured_median !== undefined) continue;
        const why = whyRejected(tried);
        const key = `${tried.outcome}\0${why}`;
        const group = groups.get(key) ?? { outcome: tried.outcome, why, builds: [] };
        if (!group.builds.includes(tried.change)) group.builds.push(tried.change);
        groups.set(key, group);
    }
    const place = ({ outcome }: Rejected) => (SEVERITY.includes(outcome) ? SEVERITY.indexOf(outcome) : SEVERITY.length);
    return [...groups.values()].sort((a, b) => place(a) - place(b));
}

/** The other compiler of a build; nothing where it is the project's. */
export function compilerWords(parts: readonly Part[] = []): string {
    return [...new Set(parts.flatMap((part) => (part.kind === "compiler" ? [baseName(part.compiler)] : [])))].join(", ");
}

/** Its options, with what else changes the build: those of single files, the linker's, a profile. */
export function optionWords(parts: readonly Part[] = []): string {
    const without = parts.flatMap((part) => (part.kind === "compiler" && part.without !== undefined && part.without.length > 0 ? [`without ${part.without.join(" ")}`] : []));
    return [...parts.filter(({ kind }) => kind !== "compiler" && kind !== "variable").map(partWords), ...without].join("; ");
}

/** The settings of its runs. */
export function settingWords(parts: readonly Part[] = []): string {
    return parts.filter(({ kind }) => kind === "variable").map(partWords).join(" ");
}

/** What the best one is, or that there is none. */
export function bestWords({ best }: TuneFacts): string {
    return best === undefined ? NO_BETTER_BUILD : freshWords(best);
}

/** What of the runs was compared, where the user said it. */
export function metricWords(metric: TuneMetric): string {
    switch (metric.kind) {
        case "cpu":
            return COMPARED_CPU;
        case "wall":
            return COMPARED_WALL;
        case "self-reported":
            return filled(metric.rate ? COMPARED_RATE : COMPARED_PRINTED, elided(metric.pattern, MESSAGE));
    }
}

/** Runs that lose their CPU this often each second, or a machine on which work waits for one in this part of the time, are disturbed. */
const PREEMPTED = 20;
const PRESSURE = 0.05;

/** What disturbed the runs, where it is worth a word. */
export function disturbedWords({ preempted_per_second: preempted = 0, pressure = 0 }: DisturbanceFacts): string | undefined {
    return preempted >= PREEMPTED || pressure >= PRESSURE ? filled(DISTURBED_RUNS, rate(preempted), share(pressure)) : undefined;
}

/** Notes about how runs were measured: what the user chose, and what makes figures less certain. */
function measuringNotes({ metric, disturbed, processors = [] }: TuneFacts): string[] {
    const found = disturbed && disturbedWords(disturbed);
    return [
        ...(metric === undefined ? [] : [metricWords(metric)]),
        ...(found === undefined ? [] : [found]),
        ...(processors.length > 1 ? [filled(SEVERAL_PROCESSORS, processors.map((each) => elided(each, LONGEST)).join(", "))] : []),
    ];
}

/** `grid.c:7`. */
export function rebuiltPlace({ file, line }: RebuiltLoop): string {
    return `${printable(baseName(file))}:${line}`;
}

/** `AVX2 256b ×4, 2 at a time`, `scalar`. */
export function builtWords({ isa, bits, elements, unroll }: BuiltLoop): string {
    if (isa === undefined) return SCALAR_LOOP;
    return `${isaName(isa)} ${bits}b ×${elements}${unroll > 1 ? filled(VECTORS_AT_A_TIME, unroll) : ""}`;
}

/** What limits the figures, and how to find out why an answer changed. */
export function tuningNotes(tuning: TuneFacts): string[] {
    const { claimed_from: from, runs, unsteady = [], candidates } = tuning;
    const wrong = candidates.find(({ tried }) => tried.outcome === "wrong-answer" && tried.first_difference !== undefined)?.tried;
    const [only] = wrong?.parts ?? [];
    const options = wrong?.parts?.length === 1 && only !== undefined ? copiedOptions([only])[0] : undefined;
    return [
        filled(AGAINST_ITSELF, percent(from - 1)),
        filled(TUNE_RUNS, runs),
        ...measuringNotes(tuning),
        ...unsteady.map(unsteadyWords),
        ...(options === undefined || options.files.length > 0 ? [] : [filled(WHO_CHANGED_IT, options.text)]),
    ];
}

/** A column of the table of builds. */
export type TuneColumn = SortColumn<TunedFacts>;

const words = (id: string, title: string, text: TuneColumn["text"]): TuneColumn => ({ id, title, number: false, value: (each) => text(each).toLowerCase() || undefined, text });

export const TUNE_COLUMNS: readonly TuneColumn[] = [
    words("build", "Build", ({ tried }) => elided(tried.change, LONGEST)),
    { id: "measured", title: "Measured", number: true, value: ({ tried }) => tried.measured_median, text: ({ tried: { measured_median: median } }) => (median === undefined ? "" : ratio(median)) },
    { id: "rounds", title: "Rounds", number: true, value: ({ tried }) => tried.pairs || undefined, text: ({ tried: { pairs = 0 } }) => (pairs === 0 ? "" : String(pairs)) },
    words("outcome", "Outcome", ({ given_up: rough = false, tried }) => (rough ? GIVEN_UP : TRIED_OUTCOMES[tried.outcome])),
    words("answer", "Answer", ({ tried }) => answerWords(tried) ?? ""),
    words("compiler", "Compiler", ({ tried }) => elided(compilerWords(tried.parts), MESSAGE)),
    words("options", "Options", ({ tried }) => elided(optionWords(tried.parts), MESSAGE)),
    words("settings", "Settings", ({ tried }) => elided(settingWords(tried.parts), MESSAGE)),
    words("axis", "Varies", ({ axis }) => TUNE_AXES[axis]),
    words("float", "Float", ({ semantics }) => FLOAT_SEMANTICS[semantics]),
    { id: "seconds", title: "Build time", number: true, value: ({ build_seconds: seconds }) => seconds, text: ({ build_seconds: seconds }) => (seconds === undefined ? "" : time(seconds)) },
];

/** Columns of which anything is known. */
export function knownTuneColumns({ candidates }: TuneFacts): TuneColumn[] {
    return TUNE_COLUMNS.filter((column) => candidates.some((each) => column.value(each) !== undefined));
}

/** As the search went where nothing is chosen. */
export function tuneOrder(query: URLSearchParams): SortOrder {
    return sortOrder(TUNE_COLUMNS, query);
}

/** All candidates in the reader's order. */
export function tuneRows({ candidates }: TuneFacts, order: SortOrder): Candidate[] {
    return sortedRows(candidates, TUNE_COLUMNS, order);
}

/** The interval of a candidate's speed-up; nothing after a single round. */
export function intervalWords({ tried: { measured } }: TunedFacts): string | undefined {
    return measured === undefined || measured[0] === measured[1] ? undefined : ratioRange(measured);
}
