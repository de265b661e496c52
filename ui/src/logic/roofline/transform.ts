/** The zoom in addresses: factor, and how far the picture is moved as parts of its size, so that it fits every window. */

export interface Zoom {
    k: number;
    x: number;
    y: number;
}

export const NO_ZOOM: Zoom = { k: 1, x: 0, y: 0 };
export const MOST_ZOOM = 60;

export function writeZoom({ k, x, y }: Zoom): string | undefined {
    const number = (value: number): string => String(Number(value.toFixed(4)));
    return k === 1 && x === 0 && y === 0 ? undefined : [k, x, y].map(number).join("_");
}

/** What does not read as a zoom shows everything. */
export function readZoom(text: string | null): Zoom {
    const parts = (text ?? "").split("_").map((part) => (part === "" ? NaN : Number(part)));
    const [k = NaN, x = NaN, y = NaN] = parts;
    if (parts.length !== 3 || ![k, x, y].every(Number.isFinite) || k < 1 || k > MOST_ZOOM) return NO_ZOOM;
    // Never beyond the edges of the whole picture.
    const within = (value: number): number => Math.min(Math.max(value, 1 - k), 0);
    return { k, x: within(x), y: within(y) };
}
