import { memo } from "preact/compat";
import { useMemo, useRef, useState } from "preact/hooks";
import type { CeilingLine } from "../../logic/roofline/ceilings";
import { functionName } from "../../logic/names";
import { extent } from "../../logic/roofline/extent";
import { dotName, labelBox, placeDotLabels } from "../../logic/roofline/dot-labels";
import type { Rectangle } from "../../logic/roofline/labels";
import { AXES, type AxisKind, type Placed, radius } from "../../logic/roofline/placed";
import type { Prediction } from "../../logic/roofline/prediction";
import { useRoomBelow } from "../parts/useRoomBelow";
import { useWidth } from "../parts/useWidth";
import { Arrows } from "./Arrows";
import { Axes } from "./Axes";
import { Card } from "./Card";
import { CeilingLines } from "./CeilingLines";
import { type DotName, DotNames } from "./DotNames";
import { Dots } from "./Dots";
import { Levels } from "./Levels";
import { type Scales, scalesOf } from "./scales";
import { useDotKeys } from "./useDotKeys";
import { useZoom } from "./useZoom";
import { ZoomButtons } from "./ZoomButtons";

const MARGIN = { left: 62, right: 10, top: 8, bottom: 44 };

/** Dots that names keep away from. */
const MOST_AVOIDED = 60;
/** Dots with a name beside them, and how those names are written; `styles/roofline.css` holds to it. */
const MOST_NAMED = 16;
const CHARACTER = 6.6;
const NAME_HEIGHT = 10;

/** The chart with its axes fits the window, unless that is very flat; and it is no wider than a chart should be. */
const HEIGHT = { least: 320, most: 760, ofWidth: 0.6, below: 16 };

function around({ loop, intensity, rate }: Placed, { x, y }: Scales): Rectangle {
    const size = radius(loop.self_share);
    return { x: x(intensity) - size, y: y(rate) - size, width: 2 * size, height: 2 * size };
}

/** Names of the dots with most time that are in sight. */
function namesOf(dots: readonly Placed[], { x, y }: Scales, plot: Rectangle, avoided: readonly Rectangle[]): DotName[] {
    const within = (at: number, from: number, length: number): boolean => at >= from && at <= from + length;
    const asked = dots
        .filter((dot) => within(x(dot.intensity), plot.x, plot.width) && within(y(dot.rate), plot.y, plot.height))
        .slice(0, MOST_NAMED)
        .map((dot) => {
            const text = dotName(functionName(dot.loop), dot.loop.line);
            return { loop: dot.loop.id, text, x: x(dot.intensity), y: y(dot.rate), radius: radius(dot.loop.self_share), width: text.length * CHARACTER };
        });
    const places = placeDotLabels(asked, NAME_HEIGHT, plot, avoided);
    return asked.flatMap(({ loop, text }, at) => {
        const place = places[at];
        return place === undefined ? [] : [{ loop, text, place }];
    });
}

/** The corner that the buttons cover; `styles/roofline.css` puts them there. */
function corner(plot: Rectangle): Rectangle {
    return { x: plot.x + plot.width - 160, y: plot.y + plot.height - 50, width: 160, height: 50 };
}

interface Given {
    /** The zoom as the address says it. */
    zoomText: string | null;
    /** Changes the address; the same function for ever, so that what does not change is not drawn again. */
    change: (changes: Record<string, string | number | undefined>) => void;
    axis: AxisKind;
    dots: readonly Placed[];
    lines: readonly CeilingLine[];
    marked: Placed | undefined;
    predictions: readonly Prediction[];
}

export const Chart = memo(function Chart({ zoomText, change, axis, dots, lines, marked, predictions }: Given) {
    const frame = useRef<HTMLDivElement>(null);
    const drawing = useRef<SVGSVGElement>(null);
    const width = useWidth(frame);
    const room = useRoomBelow(frame) - HEIGHT.below;
    const height = Math.round(Math.max(Math.min(width * HEIGHT.ofWidth, room, HEIGHT.most), HEIGHT.least));
    const plot: Rectangle = useMemo(
        () => ({ x: MARGIN.left, y: MARGIN.top, width: Math.max(width - MARGIN.left - MARGIN.right, 0), height: height - MARGIN.top - MARGIN.bottom }),
        [width, height],
    );
    const range = useMemo(() => {
        const levels = (marked?.point.levels ?? []).flatMap((each) => each.estimated_intensity ?? each.intensity?.[0] ?? []);
        const own = marked === undefined ? [] : levels.map((intensity) => ({ intensity, rate: marked.rate }));
        const aims = predictions.map(({ place, tip }) => ({ intensity: place.intensity, rate: tip }));
        return extent([...dots, ...own, ...aims], lines);
    }, [dots, lines, marked, predictions]);
    const steering = useZoom(drawing, plot, zoomText, (zoom) => change({ zoom }));
    const { zoom } = steering;
    const scales = useMemo(() => (range === undefined ? undefined : scalesOf(range, plot, zoom)), [range, plot, zoom]);
    const [looked, setLooked] = useState<number>();
    const keys = useDotKeys(dots, drawing, steering, (id) => change({ loop: id === marked?.loop.id ? undefined : id }));
    const at = useMemo(() => dots.find((dot) => dot.loop.id === looked), [dots, looked]);
    const look = (event: Event) => {
        const id = (event.target as Element).closest("[data-loop]")?.getAttribute("data-loop");
        setLooked(id === null || id === undefined ? undefined : Number(id));
    };
    const { names, taken } = useMemo(() => {
        if (scales === undefined) return { names: [], taken: [] };
        const avoided = [...dots.slice(0, MOST_AVOIDED).map((dot) => around(dot, scales)), corner(plot)];
        const named = namesOf(dots, scales, plot, avoided);
        return { names: named, taken: [...avoided, ...named.map(({ text, place }) => labelBox(place, text.length * CHARACTER, NAME_HEIGHT))] };
    }, [dots, scales, plot]);
    if (scales === undefined) return null;
    return (
        <div class="roofline-chart" ref={frame}>
            <ZoomButtons steering={steering} />
            <svg
                ref={drawing}
                class={zoom.k > 1 ? "zoomed" : ""}
                width={width}
                height={height}
                role="group"
                aria-label={`Roofline: ${AXES[axis].y} over ${AXES[axis].x}, one mark for each loop. Plus and minus zoom, arrows move, 0 shows everything. The table below has the same numbers.`}
                tabindex={0}
                onKeyDown={keys.onKeyDown}
                onPointerOver={look}
                onPointerLeave={() => setLooked(undefined)}
                onFocusIn={look}
                onFocusOut={() => setLooked(undefined)}
            >
                <defs>
                    <clipPath id="roofline-plot"><rect {...plot} /></clipPath>
                </defs>
                <Axes plot={plot} scales={scales} x={AXES[axis].x} y={AXES[axis].y} />
                <g clip-path="url(#roofline-plot)">
                    <CeilingLines lines={lines} plot={plot} scales={scales} taken={taken} />
                    {marked !== undefined && <Levels place={marked} plot={plot} scales={scales} />}
                    <Arrows predictions={predictions} scales={scales} />
                    <DotNames names={names} />
                    <Dots dots={dots} plot={plot} scales={scales} current={keys.current} marked={marked?.loop.id} />
                </g>
            </svg>
            {at !== undefined && <Card place={at} x={scales.x(at.intensity)} y={scales.y(at.rate)} width={width} />}
        </div>
    );
});
