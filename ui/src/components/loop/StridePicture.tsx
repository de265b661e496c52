/** The cache lines that an access walks through, drawn. */

import { useId } from "preact/hooks";
import type { AccessFacts } from "../../logic/contract";
import { type TouchedLine, brackets } from "../../logic/loop-page/cache-lines";
import { type StrideScene, scene } from "../../logic/loop-page/stride-picture";
import { count, counted } from "../../logic/quantity";

const NAME = 16;
const BOX = 26;
const BRACKET = 18;
const GAP = 20;

/** Elements narrower than this part of a line carry no number: it would not fit on a phone. */
const NUMBERED = 1 / 20;

/** Draws nothing where no one picture is true: strides that vary have bars instead. */
export function StridePicture({ access, line }: { access: AccessFacts; line: number }) {
    const drawn = scene(access, line);
    return drawn === undefined ? null : <Picture drawn={drawn} />;
}

function Picture({ drawn }: { drawn: StrideScene }) {
    const id = useId();
    const row = NAME + BOX + (drawn.lanes > 1 ? BRACKET : 6);
    let top = 0;
    const rows = drawn.lines.map((line) => {
        const gap = line.skipped > 0 ? GAP : 0;
        const place = top + gap;
        top = place + row;
        return { line, place };
    });
    return (
        <figure class="stride-picture">
            <svg width="100%" height={top} role="img" aria-label={drawn.words}>
                <defs>
                    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <line class="hatch" x1="0" y1="0" x2="0" y2="6" />
                    </pattern>
                </defs>
                {rows.map(({ line, place }) => (
                    <g key={line.number} transform={`translate(0 ${place})`}>
                        {line.skipped > 0 && (
                            <text class="skipped" x="50%" y={-6} text-anchor="middle">
                                ⋮ {counted(line.skipped, "line", "lines")} skipped ⋮
                            </text>
                        )}
                        <CacheLine drawn={drawn} line={line} hatch={id} />
                    </g>
                ))}
            </svg>
            <figcaption>
                {drawn.words}
                {drawn.lanes > 1 && ` Brackets: ${drawn.lanes} elements that one machine iteration takes together.`}
            </figcaption>
        </figure>
    );
}

function CacheLine({ drawn, line, hatch }: { drawn: StrideScene; line: TouchedLine; hatch: string }) {
    const size = drawn.walk.line;
    const at = (byte: number): string => `${(byte / size) * 100}%`;
    const numbered = drawn.walk.element / size >= NUMBERED;
    const title = drawn.of === "lane" ? "lane" : "iteration";
    return (
        <>
            <text class="line-name" x="0" y={NAME - 5}>
                line {count(line.number)}: {line.used} of {size} bytes
            </text>
            <svg y={NAME} width="100%" height={BOX + BRACKET} class="line-box">
                <rect class="line-back" width="100%" height={BOX} />
                <rect width="100%" height={BOX} fill={`url(#${hatch})`} />
                {line.touches.map(({ iteration, from, to }) => (
                    <g key={`${iteration}-${from}`}>
                        <rect class="touched" x={at(from)} width={at(to - from)} height={BOX}>
                            <title>{`${title} ${iteration}: bytes ${from} to ${to - 1}`}</title>
                        </rect>
                        {numbered && (
                            <text class="touched-number" x={at((from + to) / 2)} y={BOX / 2 + 4} text-anchor="middle">
                                {drawn.walk.stride === 0 ? "all" : iteration}
                            </text>
                        )}
                    </g>
                ))}
                <rect class="line-frame" width="100%" height={BOX} />
                {brackets(line, drawn.lanes).map(({ vector, from, to }) => (
                    <g key={vector} class="lanes">
                        <line x1={at(from)} x2={at(to)} y1={BOX + 6} y2={BOX + 6} />
                        <line x1={at(from)} x2={at(from)} y1={BOX + 2} y2={BOX + 6} />
                        <line x1={at(to)} x2={at(to)} y1={BOX + 2} y2={BOX + 6} />
                        <title>{`vector ${vector}`}</title>
                    </g>
                ))}
            </svg>
        </>
    );
}
