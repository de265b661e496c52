/** Names beside the dots of the roofline: the loops with most time first, each where it covers nothing. */

import { elidedFunction } from "../names";
import { type Rectangle, overlap } from "./labels";

/** A dot, and the name that it wants. */
export interface Named {
    x: number;
    y: number;
    radius: number;
    /** Of the text, in pixels. */
    width: number;
}

/** Left end of the text's base line. */
export interface DotLabel {
    x: number;
    y: number;
}

const GAP = 4;

export function labelBox({ x, y }: DotLabel, width: number, height: number): Rectangle {
    return { x, y: y - height, width, height: height + 2 };
}

/** Right of the dot, left, below, above, and the corners. */
function spots({ x, y, radius, width }: Named, height: number): DotLabel[] {
    const [off, middle, slant] = [radius + GAP, y + height / 2 - 1, radius * 0.8 + 2];
    return [
        { x: x + off, y: middle },
        { x: x - off - width, y: middle },
        { x: x - width / 2, y: y + off + height },
        { x: x - width / 2, y: y - off },
        { x: x + slant, y: y + slant + height },
        { x: x + slant, y: y - slant },
        { x: x - slant - width, y: y + slant + height },
        { x: x - slant - width, y: y - slant },
    ];
}

/** For each dot the place of its name, undefined where there is none left. `taken` is kept free. */
export function placeDotLabels(dots: readonly Named[], height: number, frame: Rectangle, taken: readonly Rectangle[]): (DotLabel | undefined)[] {
    const full = [...taken];
    return dots.map((dot) => {
        const free = spots(dot, height).find((spot) => {
            const box = labelBox(spot, dot.width, height);
            const inside = box.x >= frame.x && box.y >= frame.y && box.x + box.width <= frame.x + frame.width && box.y + box.height <= frame.y + frame.height;
            return inside && !full.some((other) => overlap(box, other));
        });
        if (free !== undefined) full.push(labelBox(free, dot.width, height));
        return free;
    });
}

/** `collide_site:25`: function and line distinguish loops in little room. */
export function dotName(name: string, line: number | undefined): string {
    return elidedFunction(name, 22) + (line === undefined ? "" : `:${line}`);
}
