import { memo } from "preact/compat";
import type { DotLabel } from "../../logic/roofline/dot-labels";

export interface DotName {
    loop: number;
    text: string;
    place: DotLabel;
}

/** Names beside the dots with most time; the pointer and the keyboard say the others'. */
export const DotNames = memo(function DotNames({ names }: { names: readonly DotName[] }) {
    return (
        <g class="dot-names" aria-hidden="true">
            {names.map(({ loop, text, place }) => (
                <text key={loop} x={place.x.toFixed(1)} y={place.y.toFixed(1)}>
                    {text}
                </text>
            ))}
        </g>
    );
});
