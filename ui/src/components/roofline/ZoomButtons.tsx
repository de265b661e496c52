import type { Zoom } from "../../logic/roofline/transform";

const FACTOR = 1.5;

export function ZoomButtons({ steering: { zoom, by, reset } }: { steering: { zoom: Zoom; by: (factor: number) => void; reset: () => void } }) {
    return (
        <div class="zoom-buttons" role="group" aria-label="Zoom">
            <button type="button" aria-label="Zoom in" title="Zoom in (+, or Ctrl and the wheel)" onClick={() => by(FACTOR)}>+</button>
            <button type="button" aria-label="Zoom out" title="Zoom out (−)" disabled={zoom.k <= 1} onClick={() => by(1 / FACTOR)}>−</button>
            <button type="button" title="Show everything (0)" disabled={zoom.k <= 1} onClick={reset}>Reset</button>
        </div>
    );
}
