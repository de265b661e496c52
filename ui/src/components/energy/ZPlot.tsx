/** Energy against performance: up costs energy, right is faster; lines from the origin have one energy-delay product. */

import { useMemo, useRef } from "preact/hooks";
import type { EnergyFacts } from "../../logic/contract";
import { energyTitle } from "../../logic/energy";
import { rate } from "../../logic/quantity";
import { type DotLabel, labelBox, placeDotLabels } from "../../logic/roofline/dot-labels";
import { type Label, type Rectangle, placeLabels } from "../../logic/roofline/labels";
import { type ZPoint, type ZScales, along, drawnLine, energyUnit, joined, markText, productLines, zPoints, zScales, zWords } from "../../logic/z-plot";
import { useWidth } from "../parts/useWidth";

const MARGIN = { left: 52, right: 8, top: 8, bottom: 42 };
const WIDEST = 760;
const HEIGHT = { least: 280, most: 420, ofWidth: 0.6 };
const DOT = 4.5;
/** How labels are written; `styles/energy.css` holds to it. */
const CHARACTER = 7.6;
const LETTERS = 11;

export function ZPlot({ energy }: { energy: EnergyFacts }) {
    const frame = useRef<HTMLDivElement>(null);
    const width = Math.min(useWidth(frame), WIDEST);
    const points = useMemo(() => zPoints(energy), [energy]);
    if (points.length < 2) return null;
    const lines = productLines(points);
    return (
        <div class="z-plot" ref={frame}>
            {width > 0 && <Drawing energy={energy} points={points} width={width} />}
            <Legend points={points} hasLines={lines.length > 0} />
        </div>
    );
}

function Drawing({ energy, points, width }: { energy: EnergyFacts; points: readonly ZPoint[]; width: number }) {
    const height = Math.round(Math.min(Math.max(width * HEIGHT.ofWidth, HEIGHT.least), HEIGHT.most));
    const plot: Rectangle = useMemo(() => ({ x: MARGIN.left, y: MARGIN.top, width: Math.max(width - MARGIN.left - MARGIN.right, 1), height: height - MARGIN.top - MARGIN.bottom }), [width, height]);
    const scales = useMemo(() => zScales(points, plot), [points, plot]);
    const { x, y } = scales;
    const path = points.map((each) => `${x(each.performance).toFixed(1)},${y(each.joules).toFixed(1)}`).join(" ");
    const [first] = energy.threads ?? [];
    return (
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={zWords(energy, points)}>
            <Axes plot={plot} scales={scales} title={energyTitle(energy)} than={first?.threads ?? 1} />
            <Products points={points} plot={plot} scales={scales} />
            <polyline class="order" points={path} />
            {points.map((each) => (
                <Point key={each.at} point={each} scales={scales} />
            ))}
            <Names points={points} plot={plot} scales={scales} />
        </svg>
    );
}

/** Marks of both axes with lines across the plot. */
function Axes({ plot, scales: { x, y }, title, than }: { plot: Rectangle; scales: ZScales; title: string; than: number }) {
    const bottom = plot.y + plot.height;
    const { unit, joules } = energyUnit(y.domain()[1] ?? 0);
    const up = y.copy().domain(y.domain().map((value) => value / joules));
    return (
        <g class="axes">
            {x.ticks(Math.max(plot.width / 70, 2)).map((value) => (
                <g key={value} transform={`translate(${x(value).toFixed(1)},0)`}>
                    <line y1={plot.y} y2={bottom} />
                    <text y={bottom + 15} text-anchor="middle">{markText(value)}</text>
                </g>
            ))}
            {up.ticks(Math.max(plot.height / 50, 2)).map((value) => (
                <g key={value} transform={`translate(0,${up(value).toFixed(1)})`}>
                    <line x1={plot.x} x2={plot.x + plot.width} />
                    <text x={plot.x - 5} y={4} text-anchor="end">{markText(value)}</text>
                </g>
            ))}
            <rect class="plot-frame" x={plot.x} y={plot.y} width={plot.width} height={plot.height} />
            <text class="axis-title" x={plot.x + plot.width / 2} y={bottom + 35} text-anchor="middle">
                Performance (1/time), {than === 1 ? "1 thread" : `${than} threads`} = 1
            </text>
            <text class="axis-title" transform={`translate(12,${plot.y + plot.height / 2}) rotate(-90)`} text-anchor="middle">
                {title} ({unit})
            </text>
        </g>
    );
}

interface Given {
    points: readonly ZPoint[];
    plot: Rectangle;
    scales: ZScales;
}

const isMarked = ({ isLeast, hasLeastProduct }: ZPoint): boolean => isLeast || hasLeastProduct;

/** What names keep away from: dots with their signs, and intervals. */
function taken(points: readonly ZPoint[], { x, y }: ZScales): Rectangle[] {
    return points.flatMap((each) => {
        const { performance, joules, interval } = each;
        const size = isMarked(each) ? DOT + 3 : DOT;
        const dot = { x: x(performance) - size, y: y(joules) - size, width: 2 * size, height: 2 * size };
        return interval === undefined ? [dot] : [dot, { x: x(performance) - 3.5, y: y(interval[1]), width: 7, height: y(interval[0]) - y(interval[1]) }];
    });
}

/** The number of each point, the first free place of these: away from all lines, else from dots alone. */
function placedNames(points: readonly ZPoint[], plot: Rectangle, scales: ZScales): (DotLabel | undefined)[] {
    const dots = points.map((each) => ({ x: scales.x(each.performance), y: scales.y(each.joules), radius: isMarked(each) ? DOT + 6 : DOT, width: String(each.threads).length * CHARACTER }));
    const lines = [...joined(points, scales), ...productLines(points).map((line) => drawnLine(line, scales))].flatMap(along);
    const full = taken(points, scales);
    const free = placeDotLabels(dots, LETTERS, plot, [...full, ...lines]);
    const boxes = free.flatMap((label, at) => (label === undefined ? [] : [labelBox(label, dots[at]?.width ?? 0, LETTERS)]));
    const others = placeDotLabels(dots.filter((_, at) => free[at] === undefined), LETTERS, plot, [...full, ...boxes]);
    return free.map((label) => label ?? others.shift());
}

/** Lines of equal energy-delay product, each with its number along it. */
function Products({ points, plot, scales }: Given) {
    const lines = useMemo(() => productLines(points).map((line) => ({ ...line, drawn: drawnLine(line, scales), text: `${rate(line.product)} J s` })), [points, scales]);
    const labels = useMemo(() => {
        const asked = lines.map(({ drawn, text }) => ({ line: drawn, width: text.length * CHARACTER, from: "right" as const }));
        const names = placedNames(points, plot, scales).flatMap((label, at) => (label === undefined ? [] : [labelBox(label, String(points[at]?.threads).length * CHARACTER, LETTERS)]));
        return placeLabels(asked, LETTERS, plot, [...taken(points, scales), ...names, ...joined(points, scales).flatMap(along)]);
    }, [lines, points, plot, scales]);
    return (
        <g class="products">
            {lines.map(({ drawn, isLeast, text }, at) => (
                <g key={at} class={isLeast ? "least" : undefined}>
                    <line {...drawn} />
                    {labels[at] !== undefined && <LineName label={labels[at]} text={text} />}
                </g>
            ))}
        </g>
    );
}

function LineName({ label: { x, y, degrees }, text }: { label: Label; text: string }) {
    return <text transform={`translate(${x.toFixed(1)},${y.toFixed(1)}) rotate(${degrees.toFixed(1)})`}>{text}</text>;
}

function Point({ point, scales: { x, y } }: { point: ZPoint; scales: ZScales }) {
    const { at, performance, joules, interval, isLeast, hasLeastProduct } = point;
    return (
        <g class={isMarked(point) ? "point best" : "point"} data-threads={at} transform={`translate(${x(performance).toFixed(1)},${y(joules).toFixed(1)})`}>
            {interval !== undefined && (
                <g class="interval">
                    <line y1={y(interval[0]) - y(joules)} y2={y(interval[1]) - y(joules)} />
                    {interval.map((end, each) => (
                        <line key={each} x1={-3.5} x2={3.5} y1={y(end) - y(joules)} y2={y(end) - y(joules)} />
                    ))}
                </g>
            )}
            <circle class="value" r={DOT} />
            {isLeast && <circle class="sign least-energy" r={DOT + 3.5} />}
            {hasLeastProduct && <path class="sign least-product" d={diamond(DOT + 7)} />}
        </g>
    );
}

const diamond = (size: number): string => `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z`;

/** Numbers of threads beside the dots. */
function Names({ points, plot, scales }: Given) {
    const places = useMemo(() => placedNames(points, plot, scales), [points, plot, scales]);
    return (
        <g class="names">
            {points.map(({ at, threads }, index) => {
                const place = places[index];
                return place !== undefined && <text key={at} x={place.x.toFixed(1)} y={place.y.toFixed(1)}>{threads}</text>;
            })}
        </g>
    );
}

function Legend({ points, hasLines }: { points: readonly ZPoint[]; hasLines: boolean }) {
    const sign = { class: "sign-of", width: 26, height: 22, viewBox: "-13 -11 26 22", "aria-hidden": true };
    return (
        <ul class="legend" aria-label="Signs of the plot">
            <li>
                <svg {...sign}><g class="point"><g class="interval"><line y1={-9} y2={9} /></g><circle class="value" r={DOT} /></g></svg> a number of threads{points.some(({ interval }) => interval !== undefined) && ", with the 95 % interval of its energy"}
            </li>
            {points.some(({ isLeast }) => isLeast) && <li><svg {...sign}><g class="point best"><circle class="value" r={DOT} /><circle class="sign least-energy" r={DOT + 3.5} /></g></svg> least energy</li>}
            {points.some(({ hasLeastProduct }) => hasLeastProduct) && <li><svg {...sign}><g class="point best"><circle class="value" r={DOT} /><path class="sign least-product" d={diamond(DOT + 6)} /></g></svg> smallest energy-delay product</li>}
            {hasLines && <li><svg {...sign}><g class="products"><line x1={-12} y1={6} x2={12} y2={-6} /></g></svg> one energy-delay product: the flatter, the smaller</li>}
        </ul>
    );
}
