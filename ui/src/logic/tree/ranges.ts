/** Sets of numbers in addresses: `0-4.9.12-13`. */

export function writeRanges(numbers: Iterable<number>): string {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    const runs: [number, number][] = [];
    for (const number of sorted) {
        const last = runs.at(-1);
        if (last?.[1] === number - 1) last[1] = number;
        else runs.push([number, number]);
    }
    return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(".");
}

/** Numbers below `end`; whatever does not read as a range is ignored. */
export function readRanges(text: string, end: number): Set<number> {
    const numbers = new Set<number>();
    for (const run of text.split(".")) {
        const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(run);
        if (match === null) continue;
        const from = Number(match[1]);
        const to = Math.min(Number(match[2] ?? match[1]), end - 1);
        for (let number = from; number <= to; number++) numbers.add(number);
    }
    return numbers;
}
