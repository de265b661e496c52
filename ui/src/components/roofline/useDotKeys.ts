import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Placed } from "../../logic/roofline/placed";

/** Pixels that an arrow key moves the picture. */
const STEP = 60;
const FACTOR = 1.5;

interface Steering {
    by: (factor: number) => void;
    pan: (x: number, y: number) => void;
    reset: () => void;
}

/**
 * The keyboard of the chart. On the drawing arrows move the picture; on a dot they lead to the dots with more or less
 * time, Space marks the loop, Enter follows the link, Escape leads back to the drawing.
 */
export function useDotKeys(dots: readonly Placed[], drawing: RefObject<SVGSVGElement>, steering: Steering, onMark: (id: number) => void) {
    const [at, setAt] = useState<number>();
    const current = dots.some((dot) => dot.loop.id === at) ? at : dots[0]?.loop.id;

    const dotOf = (target: EventTarget | null): number | undefined => {
        const id = (target as Element | null)?.closest("a[data-loop]")?.getAttribute("data-loop");
        return id === null || id === undefined ? undefined : Number(id);
    };
    const step = (from: number, by: number) => {
        // Dots beyond the edges of a zoomed picture are not drawn.
        const drawn = [...(drawing.current?.querySelectorAll<SVGAElement>("a[data-loop]") ?? [])];
        const next = drawn[drawn.findIndex((each) => each.getAttribute("data-loop") === String(from)) + by];
        if (next === undefined) return;
        setAt(Number(next.getAttribute("data-loop")));
        next.focus();
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        const dot = dotOf(event.target);
        const onDrawing: Record<string, () => void> = {
            ArrowLeft: () => steering.pan(STEP, 0),
            ArrowRight: () => steering.pan(-STEP, 0),
            ArrowUp: () => steering.pan(0, STEP),
            ArrowDown: () => steering.pan(0, -STEP),
        };
        const onDot = (id: number): Record<string, () => void> => ({
            ArrowRight: () => step(id, 1),
            ArrowDown: () => step(id, 1),
            ArrowLeft: () => step(id, -1),
            ArrowUp: () => step(id, -1),
            " ": () => onMark(id),
            Escape: () => drawing.current?.focus(),
        });
        const anywhere: Record<string, () => void> = {
            "+": () => steering.by(FACTOR),
            "=": () => steering.by(FACTOR),
            "-": () => steering.by(1 / FACTOR),
            "0": steering.reset,
        };
        const action = (dot === undefined ? onDrawing : onDot(dot))[event.key] ?? anywhere[event.key];
        if (action === undefined) return;
        event.preventDefault();
        action();
    };
    return { current, onKeyDown };
}
