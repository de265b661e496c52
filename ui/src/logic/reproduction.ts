/** What `loopwright reproduce` found, in the words of the text output (`crates/report/src/reproduction.rs`). */

import type {
    CodeChange, CodeChangeKind, ComparedAnswer, ConditionFacts, CulpritFunction, FileCulprits, Part, ProgramUnit, ReproduceSide, ReproductionFacts, RunCondition, SearchHalted,
} from "./contract";
import {
    ANOTHER_BUILD, ANSWERS, ANSWER_TONES, APPROXIMATION, AS_THE_PROJECT, BEHIND_THE_PROJECT, BITS_AGREE, CALLS, CAUSE_NOT_FOUND, DIFFERS_AGAIN, DIFFERS_BY, DIFFERS_BY_LIBRARY,
    DIFFERS_BY_THREADS, FUSED, INLINED, IN_LINES, IN_LOOP_LINES, IN_VECTORS, LINK_IS_CAUSE, LINK_REMARK, NO_ANSWER, NO_DIVISION, OLDER_LIBRARY, ONLY_WITH, OTHER_ORDER, REPAIRS,
    RUN_AGAIN, SAME_ANSWER, SEARCH_HALTED, SECOND_NOT_BUILT, SOURCES_ARE_CAUSE, SOURCE_IS_CAUSE, SPEED_OF_FIRST, THE_LINK_LINE, UNSTEADY_SECOND, VARIES, WITHIN_ANSWER, WITH_OPTIONS,
    WITH_THREADS,
} from "./contract/words";
import { agreeingBits } from "./digits";
import type { GainRow } from "./gains";
import { baseName, elided, elidedFunction, printable } from "./names";
import { filled } from "./phrases";
import { unsteadyWords } from "./trials";

type Tone = "good" | "caution" | "costly" | "";

/** A build: its compiler and options, or that it is the project's. */
export function sideWords({ compiler, options = [] }: ReproduceSide): string {
    const words = [...(compiler === undefined ? [] : [compiler]), ...options].join(" ");
    return words === "" ? AS_THE_PROJECT : filled(BEHIND_THE_PROJECT, printable(words));
}

/** Characters of a name within a sentence, and of a compiler's message. */
const LONGEST = 60;
const MESSAGE = 500;

/** Sources that are named, of more. */
const MOST_NAMED = 4;

function several(names: readonly string[]): string {
    const more = names.length - MOST_NAMED;
    return names.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** What the comparison showed, in a sentence. */
export function verdictWords({ outcome, culprits = [] }: ReproductionFacts): string {
    const sources = [...new Set(culprits.flat().filter(({ kind }) => kind === "file").map(unitName))];
    switch (outcome) {
        case "same":
            return SAME_ANSWER;
        case "within":
            return WITHIN_ANSWER;
        case "not-built":
            return SECOND_NOT_BUILT;
        case "link":
            return LINK_IS_CAUSE;
        case "not-found":
            return CAUSE_NOT_FOUND;
        case "sources":
            return filled(sources.length === 1 ? SOURCE_IS_CAUSE : SOURCES_ARE_CAUSE, several(sources));
    }
}

export function verdictTone({ outcome }: ReproductionFacts): Tone {
    if (outcome === "same" || outcome === "within") return "good";
    return outcome === "not-built" || outcome === "not-found" ? "caution" : "costly";
}

/** What a run of the first build varies. */
export function conditionWords(condition: RunCondition): string {
    switch (condition.kind) {
        case "again":
            return RUN_AGAIN;
        case "threads":
            return filled(WITH_THREADS, condition.threads);
        case "older-library":
            return OLDER_LIBRARY;
    }
}

/** The answer in words: by how much it differs, and in how many bits it agrees; what happened where there is none. */
export function comparedWords({ verdict, largest_difference: largest, significant_bits: bits, note = "" }: ComparedAnswer): string {
    if (verdict === undefined) return filled(NO_ANSWER, printable(note));
    if (largest === undefined || verdict === "same") return ANSWERS[verdict];
    const agreeing = agreeingBits(bits);
    return filled(DIFFERS_BY, ANSWERS[verdict], largest.toExponential(0)) + (agreeing === undefined ? "" : filled(BITS_AGREE, agreeing));
}

export function comparedTone({ verdict }: ComparedAnswer): Tone {
    return verdict === undefined ? "costly" : ANSWER_TONES[verdict];
}

/** The answer under a condition: what differs from run to run is no fault. */
export function underCondition({ condition, answer }: ConditionFacts): { text: string; tone: Tone } {
    if (condition.kind === "again" && answer.verdict === "different") return { text: VARIES, tone: "caution" };
    return { text: answer.verdict === undefined ? printable(answer.note ?? "") : comparedWords(answer), tone: comparedTone(answer) };
}

const EXPLAINED: Record<RunCondition["kind"], string> = { again: DIFFERS_AGAIN, threads: DIFFERS_BY_THREADS, "older-library": DIFFERS_BY_LIBRARY };

/** What it means that the answer depends on these conditions, each once. */
export function conditionNotes({ conditions }: ReproductionFacts): string[] {
    const differ = new Set(conditions.filter(({ answer }) => answer.verdict === "different").map(({ condition }) => condition.kind));
    return (Object.keys(EXPLAINED) as RunCondition["kind"][]).filter((kind) => differ.has(kind)).map((kind) => EXPLAINED[kind]);
}

/** What was not compared. */
export function answerNotes({ unsteady = [], unsteady_bad: second = [] }: ReproductionFacts): string[] {
    return [...second.map((each) => filled(UNSTEADY_SECOND, unsteadyWords(each))), ...unsteady.map(unsteadyWords)];
}

function unitName(unit: ProgramUnit): string {
    return unit.kind === "link" ? THE_LINK_LINE : elided(baseName(unit.file), LONGEST);
}

export function haltedWords(halted: SearchHalted): string {
    return filled(SEARCH_HALTED[halted.because], halted.because === "not-built" ? elided(halted.error, MESSAGE) : halted.because === "not-exchanged" ? elided(halted.reason, MESSAGE) : "");
}

function kindWords(what: CodeChangeKind): string {
    switch (what.kind) {
        case "fused":
            return FUSED;
        case "vectors":
            return IN_VECTORS;
        case "approximation":
            return APPROXIMATION;
        case "no-division":
            return NO_DIVISION;
        case "calls":
            return filled(CALLS, elidedFunction(what.function, LONGEST));
    }
}

/** Lines of a kind of change that are named. */
const LINES = 5;

/** How the code of a function differs, each kind once with its lines. */
export function changeWords(changes: readonly CodeChange[] = []): string[] {
    if (changes.length === 0) return [OTHER_ORDER];
    const kinds = new Map<string, CodeChange[]>();
    for (const change of changes) {
        const what = kindWords(change.what);
        kinds.set(what, [...(kinds.get(what) ?? []), change]);
    }
    return [...kinds].map(([what, all]) => {
        const lines = all.flatMap(({ line }) => line ?? []).slice(0, LINES);
        if (lines.length === 0) return what;
        return what + filled(all.some((each) => each.in_loop === true) ? IN_LOOP_LINES : IN_LINES, lines.join(", "));
    });
}

/** A function that changes the answer. */
export interface FunctionCulprit {
    name: string;
    changes: string[];
    /** The first line whose code differs. */
    line: number | undefined;
    /** The others without which it does not. */
    with: string | undefined;
}

/** A part of the program that changes the answer, with its functions where they are known. */
export interface Culprit {
    name: string;
    /** The whole path of a source. */
    file: string | undefined;
    with: string | undefined;
    functions: FunctionCulprit[];
    note: string | undefined;
}

const onlyWith = (names: readonly string[]): string | undefined => (names.length === 0 ? undefined : filled(ONLY_WITH, names.join(", ")));

function functionCulprits(sets: readonly CulpritFunction[][]): FunctionCulprit[] {
    return sets.flatMap((set) =>
        set.map((each) => ({ name: each.name, changes: changeWords(each.changes), line: each.changes?.find(({ line }) => line !== undefined)?.line, with: onlyWith(set.filter((other) => other !== each).map(({ name }) => elidedFunction(name, LONGEST))) })),
    );
}

function fileNote({ functions = [], inlining, halted }: FileCulprits): string | undefined {
    if (halted !== undefined) return haltedWords(halted);
    return inlining === "as-built" && functions.length > 0 ? INLINED : undefined;
}

/** The parts that change the answer, set by set. */
export function culprits({ culprits: sets = [], files = [] }: ReproductionFacts): Culprit[] {
    return sets.flatMap((set) =>
        set.map((unit): Culprit => {
            const others = onlyWith(set.filter((other) => other !== unit).map(unitName));
            if (unit.kind === "link") return { name: unitName(unit), file: undefined, with: others, functions: [], note: LINK_REMARK };
            const of = files.find(({ file }) => file === unit.file);
            return { name: unitName(unit), file: unit.file, with: others, functions: functionCulprits(of?.functions ?? []), note: of && fileNote(of) };
        }),
    );
}

/** Sets of options that change the answer, each in a line. */
export function optionSets({ options = [] }: ReproductionFacts): string[] {
    return options.map((set) => printable(set.join(WITH_OPTIONS)));
}

/** What a version is. */
export function repairName(change: string): string {
    return Object.hasOwn(REPAIRS, change) ? (REPAIRS[change] ?? ANOTHER_BUILD) : ANOTHER_BUILD;
}

/** The versions for the picture: the second build as it is, then what keeps the answer, as the search has them. */
export function repairRows({ repairs = [], cheapest }: ReproductionFacts): GainRow[] {
    return repairs.map((tried, at) => ({ at: `reproduction.repairs.${at}`, name: repairName(tried.change), tried, rough: false, ...(at === cheapest ? { mark: "cheapest that keeps the answer" } : {}) }));
}

/** The parts of the cheapest version. */
export function cheapestParts({ repairs = [], cheapest }: ReproductionFacts): readonly Part[] | undefined {
    return cheapest === undefined ? undefined : repairs[cheapest]?.parts;
}

/** How speed is meant, and what the search took. */
export function speedNote({ builds, runs }: ReproductionFacts): string {
    return filled(SPEED_OF_FIRST, builds, runs);
}
