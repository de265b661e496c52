/** Places for the names of ceilings, so that none covers another: the first ones asked for get the best places. */

export interface Rectangle {
    x: number;
    y: number;
    width: number;
    height: number;
}

export interface Segment {
    x1: number;
    y1: number;
    x2: number;
    y2: number;
}

export interface Label {
    /** Left end of the text's base line; the text is turned around it. */
    x: number;
    y: number;
    degrees: number;
}

/** Around a label, in pixels. */
const ROOM = 1;

/** Boxes along a turned text, close enough to its shape. */
function boxes({ x, y, degrees }: Label, width: number, height: number): Rectangle[] {
    const angle = (degrees * Math.PI) / 180;
    const count = degrees === 0 ? 1 : Math.max(Math.ceil(width / height), 1);
    return Array.from({ length: count }, (_, at) => {
        const along = (width * at) / count;
        const piece = width / count;
        const [x1, y1] = [x + along * Math.cos(angle), y + along * Math.sin(angle)];
        const [x2, y2] = [x + (along + piece) * Math.cos(angle), y + (along + piece) * Math.sin(angle)];
        return {
            x: Math.min(x1, x2) - ROOM,
            y: Math.min(y1, y2) - height - ROOM,
            width: Math.abs(x2 - x1) + 2 * ROOM,
            height: Math.abs(y2 - y1) + height + 2 * ROOM,
        };
    });
}

export function overlap(a: Rectangle, b: Rectangle): boolean {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function inside(box: Rectangle, frame: Rectangle): boolean {
    return box.x >= frame.x && box.y >= frame.y && box.x + box.width <= frame.x + frame.width && box.y + box.height <= frame.y + frame.height;
}

export interface Asked {
    /** The line in pixels, from left to right. */
    line: Segment;
    width: number;
    /** Where along the line to begin to look: level lines are named at their right end, rising ones at their left. */
    from: "left" | "right";
}

/** Above the line, or below it. */
const SIDES = [4, -4];
const STEPS = 24;

function* spots({ line, width, from }: Asked, height: number): Generator<Label> {
    const [dx, dy] = [line.x2 - line.x1, line.y2 - line.y1];
    const length = Math.hypot(dx, dy);
    if (length < width) return;
    const degrees = (Math.atan2(dy, dx) * 180) / Math.PI;
    for (let step = 0; step <= STEPS; step++) {
        const along = (length - width) * (from === "left" ? step / STEPS : 1 - step / STEPS);
        for (const side of SIDES) {
            const off = side > 0 ? side : side - height * 0.75;
            yield { x: line.x1 + (dx / length) * along + (dy / length) * off, y: line.y1 + (dy / length) * along - (dx / length) * off, degrees };
        }
    }
}

/** Lines that rise alike, by a tenth of their length at most apart. */
function parallel(a: Segment, b: Segment): boolean {
    const [ax, ay, bx, by] = [a.x2 - a.x1, a.y2 - a.y1, b.x2 - b.x1, b.y2 - b.y1];
    return Math.abs(ax * by - ay * bx) <= 0.1 * Math.hypot(ax, ay) * Math.hypot(bx, by);
}

/** A name that crosses more lines than this is better left to the table. */
const MOST_CROSSED = 1;

/**
 * For each line the place of its name, undefined where there is none left. `taken` is kept free, other lines are
 * crossed only where there is no better place.
 */
export function placeLabels(asked: readonly Asked[], height: number, frame: Rectangle, taken: readonly Rectangle[] = []): (Label | undefined)[] {
    const full: Rectangle[] = [...taken];
    return asked.map((each) => {
        const others = asked.filter((other) => other !== each).map((other) => other.line);
        let best: { label: Label; own: Rectangle[]; crossed: number } | undefined;
        for (const label of spots(each, height)) {
            const own = boxes(label, each.width, height);
            if (!own.every((box) => inside(box, frame) && !full.some((other) => overlap(box, other)))) continue;
            const crossing = others.filter((line) => own.some((box) => clip(line, box) !== undefined));
            // A line along the letters strikes them out; one across them does not.
            if (crossing.some((line) => parallel(line, each.line))) continue;
            const crossed = crossing.length;
            if (crossed < (best?.crossed ?? MOST_CROSSED + 1)) best = { label, own, crossed };
            if (crossed === 0) break;
        }
        full.push(...(best?.own ?? []));
        return best?.label;
    });
}

/** The part of a line within a rectangle (Liang and Barsky, 1984). */
export function clip({ x1, y1, x2, y2 }: Segment, frame: Rectangle): Segment | undefined {
    const [dx, dy] = [x2 - x1, y2 - y1];
    let [enter, leave] = [0, 1];
    for (const [p, q] of [
        [-dx, x1 - frame.x],
        [dx, frame.x + frame.width - x1],
        [-dy, y1 - frame.y],
        [dy, frame.y + frame.height - y1],
    ] as const) {
        if (p === 0 && q < 0) return undefined;
        if (p < 0) enter = Math.max(enter, q / p);
        if (p > 0) leave = Math.min(leave, q / p);
    }
    if (enter >= leave) return undefined;
    return { x1: x1 + enter * dx, y1: y1 + enter * dy, x2: x1 + leave * dx, y2: y1 + leave * dy };
}
