/** What `loopwright energy` found, in the words of the text output (`crates/report/src/energy.rs`). */

import type { Analysis, DomainEnergy, EnergyFacts, EnergySource, LoopFacts, RunEnergy, ThreadsEnergy } from "./contract";
import { ENERGY_BY_COUNTERS, ENERGY_BY_MODEL, ENERGY_DOMAINS, ENERGY_FAULTS, ENERGY_INTERFACES, ENERGY_NOT_MINE, ENERGY_OF_RUN, ENERGY_UNKNOWN, LEAST_ENERGY, MODEL_CALIBRATED, MODEL_GIVEN, PROVENANCES, THREAD } from "./contract/words";
import { loopsById } from "./groups";
import { filled } from "./phrases";
import { counted, energy as joulesText, rate, share, time } from "./quantity";

/** Loops with a smaller share of the energy are not shown. */
const SMALLEST_SHARE = 0.005;
/** Other programs are worth a word when the program has less of the machine's CPU time than this. */
const ALMOST_ALONE = 0.95;

export function isModel({ source }: EnergyFacts): boolean {
    return source.kind === "model";
}

/** What numbers of energy are called, at the head of a column or of an axis: those of a model say that they are. */
export function energyTitle(energy: EnergyFacts): string {
    return isModel(energy) ? `Energy, ${PROVENANCES.modelled}` : "Energy";
}

/** How energy is known. */
export function sourceWords(source: EnergySource): string {
    if (source.kind === "counters") return filled(ENERGY_BY_COUNTERS, ENERGY_INTERFACES[source.interface]);
    const { idle_watts: idle, core_watts: core, calibrated, worst } = source;
    const from = calibrated && worst !== undefined ? filled(MODEL_CALIBRATED, share(worst)) : MODEL_GIVEN;
    return filled(ENERGY_BY_MODEL, rate(idle), rate(core), from);
}

export function isKnown(run: RunEnergy): boolean {
    return run.joules !== undefined && run.watts !== undefined && run.delay_product !== undefined;
}

/** The run in one line. */
export function runWords({ joules, seconds, watts, delay_product: product }: RunEnergy): string {
    if (joules === undefined || watts === undefined || product === undefined) return ENERGY_UNKNOWN;
    return filled(ENERGY_OF_RUN, joulesText(joules), time(seconds), rate(watts), rate(product));
}

/** What the counters hold beside the program; a model is of the program alone. */
export function othersWords(energy: EnergyFacts): string | undefined {
    const part = energy.run?.share_of_busy;
    return isModel(energy) || part === undefined || part >= ALMOST_ALONE ? undefined : filled(ENERGY_NOT_MINE, share(part));
}

/** What a counter covers. */
export function domainWords({ domain }: DomainEnergy): string {
    return filled(ENERGY_DOMAINS[domain.part], domain.part === "platform" ? "" : domain.socket);
}

/** Why a counter has no number. */
export function faultWords({ joules, fault }: DomainEnergy): string | undefined {
    return joules === undefined && fault !== undefined ? ENERGY_FAULTS[fault] : undefined;
}

export function domainWatts({ joules }: DomainEnergy, { seconds }: RunEnergy): number | undefined {
    return joules === undefined || seconds <= 0 ? undefined : joules / seconds;
}

/** A loop with its energy and its number in the document's list. */
export interface LoopRow {
    at: number;
    loop: LoopFacts;
    joules: number;
}

/** Loops that are worth a row, the largest first. */
export function energyLoops(analysis: Analysis): LoopRow[] {
    const loops = loopsById(analysis);
    return (analysis.energy?.loops ?? []).flatMap(({ id, joules }, at) => {
        const loop = loops.get(id);
        return loop === undefined || loop.self_share < SMALLEST_SHARE ? [] : [{ at, loop, joules }];
    });
}

/** How many times as fast as with the first number of threads. */
export function performance({ threads = [] }: EnergyFacts, { seconds }: ThreadsEnergy): number | undefined {
    const [first] = threads;
    return first === undefined || seconds <= 0 || first.seconds <= 0 ? undefined : first.seconds / seconds;
}

/** `314–326 J`; nothing where both ends are the same. */
export function intervalWords({ joules_interval: interval }: ThreadsEnergy): string | undefined {
    if (interval === undefined || interval[0] === interval[1]) return undefined;
    return `${rate(interval[0])}–${rate(interval[1])} J`;
}

export function threadWords({ threads }: ThreadsEnergy): string {
    return counted(threads, ...THREAD);
}

/** The best numbers of threads; nothing where the program does not obey them. */
export function bestThreads({ threads = [], least_energy: least, least_delay_product: product, same_threads: same = false }: EnergyFacts): string | undefined {
    const [one, other] = [threads[least ?? -1], threads[product ?? -1]];
    return same || one === undefined || other === undefined ? undefined : filled(LEAST_ENERGY, threadWords(one), threadWords(other));
}
