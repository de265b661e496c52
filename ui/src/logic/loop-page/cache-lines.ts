/**
 * Which bytes of which cache lines an access with a constant stride touches, iteration by iteration.
 *
 * The picture starts at a cache line: traces are taken over many entries, so there is no one address to start at. Where the
 * distance to the first access of the same array is known, elements are drawn at that distance.
 */

/** An access as written: `element` bytes every `stride` bytes. */
export interface Walk {
    stride: number;
    element: number;
    /** Bytes of a cache line. */
    line: number;
    /** Bytes from the first access of the same array; absent when it is the first. */
    offset?: number | undefined;
}

/** Bytes `[from, to)` of a line that one iteration touches. */
export interface Touch {
    iteration: number;
    from: number;
    to: number;
}

export interface TouchedLine {
    /** Number of the line; the lowest that is drawn is 0. */
    number: number;
    /** Lines between this one and the one before in the picture that nothing touches. */
    skipped: number;
    touches: Touch[];
    /** Distinct bytes used. */
    used: number;
}

/** Cache lines of an element, at most: wider ones are no elements and are not drawn. */
const WIDEST = 64;

function drawable({ stride, element, line }: Walk): boolean {
    return element > 0 && line > 0 && element <= WIDEST * line && Number.isSafeInteger(stride);
}

/** Where the element of the first iteration begins, relative to a line. */
function start({ stride, element, line, offset }: Walk): number {
    // Backwards, the picture mirrors that of the same stride forwards: the first element ends a line.
    const first = stride < 0 ? -element : 0;
    const shifted = first + (offset ?? 0);
    return ((shifted % line) + line) % line;
}

function usedBytes(touches: readonly Touch[]): number {
    const ordered = [...touches].sort((a, b) => a.from - b.from);
    let used = 0;
    let end = 0;
    for (const { from, to } of ordered) {
        used += Math.max(to - Math.max(from, end), 0);
        end = Math.max(end, to);
    }
    return used;
}

/** The lines that the first iterations touch, lowest address first: at most `lines` of them, and at most `iterations`. */
export function touchedLines(walk: Walk, lines: number, iterations: number): TouchedLine[] {
    const { stride, element, line } = walk;
    if (!drawable(walk)) return [];
    const base = start(walk);
    const found = new Map<number, Touch[]>();
    for (let iteration = 0; iteration < iterations; iteration++) {
        const begin = base + iteration * stride;
        const end = begin + element;
        const first = Math.floor(begin / line);
        const last = Math.floor((end - 1) / line);
        let fresh = 0;
        for (let at = first; at <= last; at++) if (!found.has(at)) fresh += 1;
        // The first element is always drawn, be it wider than the picture.
        if (iteration > 0 && found.size + fresh > lines) break;
        for (let at = first; at <= last; at++) {
            const touch = { iteration, from: Math.max(begin - at * line, 0), to: Math.min(end - at * line, line) };
            const known = found.get(at);
            if (known === undefined) found.set(at, [touch]);
            else known.push(touch);
        }
    }
    const numbers = [...found.keys()].sort((a, b) => a - b);
    const lowest = numbers[0] ?? 0;
    return numbers.map((number, at) => {
        const touches = found.get(number) ?? [];
        const before = at > 0 ? numbers[at - 1] : undefined;
        return { number: number - lowest, skipped: before === undefined ? 0 : number - before - 1, touches, used: usedBytes(touches) };
    });
}

function greatestCommonDivisor(a: number, b: number): number {
    while (b !== 0) [a, b] = [b, a % b];
    return a;
}

/** What a long walk uses of the lines that it touches, per period of the pattern. */
export interface SteadyUse {
    used: number;
    fetched: number;
    /** Iterations after which the elements are in their lines as before. */
    iterations: number;
    /** Elements that begin in one line and end in another. */
    splits: number;
}

/** For a stride other than 0: bytes used and fetched until the pattern repeats. */
export function steadyUse(walk: Walk): SteadyUse | undefined {
    const { element, line } = walk;
    const stride = Math.abs(walk.stride);
    if (!drawable(walk) || stride === 0) return undefined;
    const iterations = line / greatestCommonDivisor(stride, line);
    const period = (stride * iterations) / line;
    const base = start(walk);
    const found = new Map<number, Touch[]>();
    let splits = 0;
    for (let iteration = 0; iteration < iterations; iteration++) {
        const begin = base + iteration * stride;
        const end = begin + element;
        const first = Math.floor(begin / line);
        const last = Math.floor((end - 1) / line);
        if (last > first) splits += 1;
        for (let at = first; at <= last; at++) {
            const touch = { iteration, from: Math.max(begin - at * line, 0), to: Math.min(end - at * line, line) };
            const known = found.get(at % period);
            if (known === undefined) found.set(at % period, [touch]);
            else known.push(touch);
        }
    }
    let used = 0;
    for (const touches of found.values()) used += usedBytes(touches);
    return { used, fetched: found.size * line, iterations, splits };
}

/** Elements of consecutive iterations that one vector of the machine holds, as they are in a line. */
export interface Lanes {
    /** Which vector, counted from the first iteration. */
    vector: number;
    from: number;
    to: number;
}

/** Brackets around the elements of each vector of `lanes` iterations; none for one lane. */
export function brackets(touched: TouchedLine, lanes: number): Lanes[] {
    if (!(lanes > 1)) return [];
    const found = new Map<number, Lanes>();
    for (const { iteration, from, to } of touched.touches) {
        const vector = Math.floor(iteration / lanes);
        const known = found.get(vector);
        if (known === undefined) found.set(vector, { vector, from, to });
        else {
            known.from = Math.min(known.from, from);
            known.to = Math.max(known.to, to);
        }
    }
    return [...found.values()].sort((a, b) => a.from - b.from);
}
