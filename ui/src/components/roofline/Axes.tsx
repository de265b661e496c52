import { tickText, ticks } from "../../logic/roofline/extent";
import type { Rectangle } from "../../logic/roofline/labels";
import type { Scales } from "./scales";

/** Marks of both axes with lines across the plot. */
export function Axes({ plot, scales, x, y }: { plot: Rectangle; scales: Scales; x: string; y: string }) {
    const bottom = plot.y + plot.height;
    const across = ticks(scales.x.domain() as [number, number], plot.width, 46);
    const up = ticks(scales.y.domain() as [number, number], plot.height, 18);
    return (
        <g class="axes" aria-hidden="true">
            {across.map((value) => (
                <g key={value} transform={`translate(${scales.x(value).toFixed(1)},0)`}>
                    <line y1={plot.y} y2={bottom} />
                    <text y={bottom + 16} text-anchor="middle">{tickText(value)}</text>
                </g>
            ))}
            {up.map((value) => (
                <g key={value} transform={`translate(0,${scales.y(value).toFixed(1)})`}>
                    <line x1={plot.x} x2={plot.x + plot.width} />
                    <text x={plot.x - 6} y={4} text-anchor="end">{tickText(value)}</text>
                </g>
            ))}
            <rect class="plot-frame" x={plot.x} y={plot.y} width={plot.width} height={plot.height} />
            <text class="axis-title" x={plot.x + plot.width / 2} y={bottom + 36} text-anchor="middle">{x}</text>
            <text class="axis-title" transform={`translate(13,${plot.y + plot.height / 2}) rotate(-90)`} text-anchor="middle">{y}</text>
        </g>
    );
}
