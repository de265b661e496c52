/** The measured ceilings as lines: bandwidths rise with the intensity, peaks are level. */

import type { BandwidthCeiling, Ceilings, LoopFacts } from "../contract";
import type { AxisKind } from "./placed";

export interface MemoryLine {
    kind: "memory";
    name: string;
    kernel: string;
    cores: number;
    gbytes: number;
}

export interface ComputeLine {
    kind: "compute";
    name: string;
    level: string;
    element: string;
    fma: boolean;
    cores: number;
    gflops: number;
}

export type CeilingLine = MemoryLine | ComputeLine;

/** Numbers of cores that ceilings were measured for. */
export function measuredCores({ flops, bandwidths }: Ceilings): number[] {
    return [...new Set([...flops, ...bandwidths].map((each) => each.cores))].sort((a, b) => a - b);
}

/** The cores of the loops' own ceilings if it is one number that was measured; else one core and all. */
export function coresAtFirst(ceilings: Ceilings, loops: readonly LoopFacts[]): number[] {
    const measured = measuredCores(ceilings);
    const own = [...new Set(loops.flatMap((loop) => loop.roofline?.cores ?? []))];
    const [only] = own;
    if (own.length === 1 && only !== undefined && measured.includes(only)) return [only];
    return [...new Set([measured[0], measured.at(-1)])].filter((each) => each !== undefined);
}

/** Benchmarks of bandwidth, as they were measured. */
export function kernels({ bandwidths }: Ceilings): string[] {
    return [...new Set(bandwidths.map((each) => each.kernel))];
}

/** The benchmark that the ceilings of most of the loops' time refer to: the one most like their stores. */
export function kernelAtFirst(ceilings: Ceilings, loops: readonly LoopFacts[], axis: AxisKind): string | undefined {
    const weights = new Map<string, number>();
    for (const { roofline, self_seconds } of loops) {
        if (roofline?.kind !== axis) continue;
        const kernel = roofline.roofs?.find((roof) => roof.kind === "memory")?.kernel;
        if (kernel !== undefined) weights.set(kernel, (weights.get(kernel) ?? 0) + self_seconds);
    }
    const [heaviest] = [...weights].sort((a, b) => b[1] - a[1]);
    const all = kernels(ceilings);
    if (heaviest !== undefined && all.includes(heaviest[0])) return heaviest[0];
    return all.includes("load") ? "load" : all[0];
}

/** Elements that peaks were measured for, and the one that most of the loops' arithmetic is of. */
export function elements({ flops }: Ceilings): string[] {
    return [...new Set(flops.map((each) => each.element))].sort().reverse();
}

export function elementAtFirst(ceilings: Ceilings, loops: readonly LoopFacts[]): string | undefined {
    const all = elements(ceilings);
    const flop = (element: string): number =>
        loops.reduce((sum, { work }) => sum + (element === "f64" ? (work?.flop_f64 ?? 0) : element === "f32" ? (work?.flop_f32 ?? 0) : 0), 0);
    return all.sort((a, b) => flop(b) - flop(a))[0];
}

export interface CeilingChoice {
    axis: AxisKind;
    cores: readonly number[];
    kernel: string | undefined;
    element: string | undefined;
}

/** As the analysis names it: `AVX2 f64 FMA`. */
export function computeName(level: string, element: string, fma: boolean): string {
    return `${level} ${element}${fma ? " FMA" : ""}`;
}

/** The lines of a choice: bandwidths from the fastest, then peaks from the highest. Peaks of integer arithmetic are not measured. */
export function ceilingLines(ceilings: Ceilings, { axis, cores, kernel, element }: CeilingChoice): CeilingLine[] {
    const wanted = new Set(cores);
    const memory = ceilings.bandwidths
        .filter((each: BandwidthCeiling) => wanted.has(each.cores) && each.kernel === kernel && each.gbytes > 0)
        .map((each): MemoryLine => ({ kind: "memory", name: each.level, kernel: each.kernel, cores: each.cores, gbytes: each.gbytes }));
    const compute =
        axis === "integer"
            ? []
            : ceilings.flops
                  .filter((each) => wanted.has(each.cores) && each.element === element && each.gflops > 0)
                  .map((each): ComputeLine => ({ ...each, kind: "compute", name: computeName(each.level, each.element, each.fma) }));
    return [...memory.sort((a, b) => b.gbytes - a.gbytes), ...compute.sort((a, b) => b.gflops - a.gflops)];
}

/** What a ceiling allows at an intensity. */
export function roofAt(line: CeilingLine, intensity: number): number {
    return line.kind === "memory" ? line.gbytes * intensity : line.gflops;
}

/** The intensity from which on a bandwidth is no longer the limit. */
export function ridge(bandwidth: MemoryLine, peak: ComputeLine): number {
    return peak.gflops / bandwidth.gbytes;
}

/** What no loop can exceed: the highest peak and the fastest memory of the same cores. */
export function attainable(lines: readonly CeilingLine[], intensity: number): number {
    const most = (kind: CeilingLine["kind"]): number =>
        lines.filter((line) => line.kind === kind).reduce((top, line) => Math.max(top, roofAt(line, intensity)), -Infinity);
    const [memory, compute] = [most("memory"), most("compute")];
    return Math.min(memory === -Infinity ? Infinity : memory, compute === -Infinity ? Infinity : compute);
}

/** The part of a line within the axes: a bandwidth ends at the highest peak of its cores, a peak begins at the fastest bandwidth. */
export function course(
    line: CeilingLine,
    lines: readonly CeilingLine[],
    [from, to]: readonly [number, number],
): { x1: number; y1: number; x2: number; y2: number } | undefined {
    const same = lines.filter((each) => each.cores === line.cores);
    let [start, end] = [from, to];
    if (line.kind === "memory") {
        const top = same.reduce((most, each) => (each.kind === "compute" ? Math.max(most, each.gflops) : most), 0);
        if (top > 0) end = Math.min(end, top / line.gbytes);
    } else {
        const fastest = same.reduce((most, each) => (each.kind === "memory" ? Math.max(most, each.gbytes) : most), 0);
        if (fastest > 0) start = Math.max(start, line.gflops / fastest);
    }
    if (!(start < end)) return undefined;
    return { x1: start, y1: roofAt(line, start), x2: end, y2: roofAt(line, end) };
}
