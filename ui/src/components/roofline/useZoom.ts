import type { RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { select } from "d3-selection";
import { type D3ZoomEvent, type ZoomBehavior, ZoomTransform, zoom as zoomBehaviour } from "d3-zoom";
import type { Rectangle } from "../../logic/roofline/labels";
import { MOST_ZOOM, type Zoom, readZoom, writeZoom } from "../../logic/roofline/transform";

/** The zoom in pixels: about the corner of the plot, which is not that of the drawing. */
export function inPixels({ k, x, y }: Zoom, plot: Rectangle): ZoomTransform {
    return new ZoomTransform(k, x * plot.width - (k - 1) * plot.x, y * plot.height - (k - 1) * plot.y);
}

function inParts({ k, x, y }: ZoomTransform, plot: Rectangle): Zoom {
    return { k, x: (x + (k - 1) * plot.x) / plot.width, y: (y + (k - 1) * plot.y) / plot.height };
}

/** Pinching on a pad is a wheel with Ctrl that turns in small steps; a mouse with Ctrl turns in whole notches. */
function wheelDelta(event: WheelEvent): number {
    const unit = event.deltaMode === 1 ? 0.05 : event.deltaMode === 0 ? 0.002 : 1;
    const pinched = event.ctrlKey && event.deltaMode === 0 && Math.abs(event.deltaY) < 40;
    return -event.deltaY * unit * (pinched ? 10 : 1);
}

interface Steering {
    zoom: Zoom;
    by: (factor: number) => void;
    pan: (x: number, y: number) => void;
    reset: () => void;
}

/** Wheel, pinch and drag on the drawing; `text` is the zoom that the address says, `onEnd` is called when it has changed. */
export function useZoom(drawing: RefObject<SVGSVGElement>, plot: Rectangle, text: string | null, onEnd: (text: string | undefined) => void): Steering {
    const [zoom, setZoom] = useState<Zoom>(() => readZoom(text));
    const behaviour = useRef<ZoomBehavior<SVGSVGElement, unknown>>();
    const notified = useRef(onEnd);
    notified.current = onEnd;
    const written = useRef(text);
    const { x, y, width, height } = plot;

    useEffect(() => {
        if (drawing.current === null || width <= 0) return;
        const own = { x, y, width, height };
        const corners: [[number, number], [number, number]] = [[x, y], [x + width, y + height]];
        const element = select(drawing.current);
        const made = zoomBehaviour<SVGSVGElement, unknown>()
            .scaleExtent([1, MOST_ZOOM])
            .extent(corners)
            .translateExtent(corners)
            // One finger and the wheel scroll the page as long as there is nothing to move; the wheel with Ctrl zooms.
            .filter((event: MouseEvent | TouchEvent) => {
                const zoomed = drawing.current !== null && inParts(transformOf(drawing.current), own).k > 1;
                if ("touches" in event) return event.touches.length > 1 || zoomed;
                if (event.type === "wheel") return event.ctrlKey || event.metaKey || zoomed;
                return !event.ctrlKey && event.button === 0;
            })
            .wheelDelta(wheelDelta)
            .on("zoom", (event: D3ZoomEvent<SVGSVGElement, unknown>) => setZoom(inParts(event.transform, own)))
            .on("end", (event: D3ZoomEvent<SVGSVGElement, unknown>) => {
                const now = writeZoom(inParts(event.transform, own));
                if ((now ?? null) === written.current) return;
                written.current = now ?? null;
                notified.current(now);
            });
        behaviour.current = made;
        element.call(made);
        // The same part of the picture in a window of another size.
        element.call((it) => made.transform(it, inPixels(readZoom(written.current), own)));
        return () => {
            element.on(".zoom", null);
        };
    }, [drawing, x, y, width, height]);

    // The address changed by itself: "back", a link.
    useEffect(() => {
        if (text === written.current || drawing.current === null || behaviour.current === undefined) return;
        written.current = text;
        behaviour.current.transform(select(drawing.current), inPixels(readZoom(text), { x, y, width, height }));
    }, [text, drawing, x, y, width, height]);

    const by = useCallback(
        (factor: number) => {
            if (drawing.current !== null) behaviour.current?.scaleBy(select(drawing.current), factor);
        },
        [drawing],
    );
    const pan = useCallback(
        (across: number, up: number) => {
            if (drawing.current !== null) behaviour.current?.translateBy(select(drawing.current), across / zoom.k, up / zoom.k);
        },
        [drawing, zoom.k],
    );
    const reset = useCallback(() => {
        if (drawing.current !== null) behaviour.current?.transform(select(drawing.current), new ZoomTransform(1, 0, 0));
    }, [drawing]);
    return { zoom, by, pan, reset };
}

/** The behaviour keeps its state on the element. */
function transformOf(element: SVGSVGElement): ZoomTransform {
    return (element as SVGSVGElement & { __zoom?: ZoomTransform }).__zoom ?? new ZoomTransform(1, 0, 0);
}
