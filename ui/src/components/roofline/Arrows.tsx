import type { Prediction } from "../../logic/roofline/prediction";
import type { Scales } from "./scales";

const HEAD = 6;
const ASIDE = 11;

/** How far up a loop would move: dashed to the lowest gain, solid to the highest. */
export function Arrows({ predictions, scales }: { predictions: readonly Prediction[]; scales: Scales }) {
    return (
        <g class="arrows" aria-hidden="true">
            {predictions.map(({ place, recommendation, low, high, tip }, at) => {
                if (tip <= place.rate) return null;
                // Several of one loop are side by side.
                const before = predictions.slice(0, at).filter((each) => each.place.loop === place.loop).length;
                const stem = scales.x(place.intensity);
                const x = stem + before * ASIDE;
                const [from, start, end] = [scales.y(place.rate), scales.y(Math.min(low, tip)), scales.y(tip)];
                return (
                    <g key={`${place.loop.id} ${recommendation.id}`}>
                        <line class="sure" x1={stem} x2={x} y1={from} y2={start} />
                        <line class="hoped" x1={x} x2={x} y1={start} y2={end + HEAD} />
                        <path d={`M${x} ${end}l${HEAD} ${HEAD * 1.6}h${-2 * HEAD}z`} />
                        {tip < high && <line class="cap" x1={x - HEAD} x2={x + HEAD} y1={end - 2} y2={end - 2} />}
                    </g>
                );
            })}
        </g>
    );
}
