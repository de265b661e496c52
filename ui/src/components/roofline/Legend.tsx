import { TypeMark } from "./LoopRow";

/** What the chart shows besides its dots. */
interface Given {
    bandwidths: boolean;
    peaks: boolean;
    fewer: boolean;
    arrows: boolean;
    levels: boolean;
}

export function Legend({ bandwidths, peaks, fewer, arrows, levels }: Given) {
    return (
        <ul class="legend" aria-label="Signs of the chart">
            <li><TypeMark vectorized /> vectorised loop</li>
            <li><TypeMark vectorized={false} /> scalar loop; area: self time</li>
            {bandwidths && <li><svg class="sign ceiling memory" width={26} height={10} aria-hidden="true"><line x1={1} y1={9} x2={25} y2={1} /></svg> bandwidth</li>}
            {peaks && <li><svg class="sign ceiling compute" width={26} height={10} aria-hidden="true"><line x1={1} y1={5} x2={25} y2={5} /></svg> peak of arithmetic</li>}
            {fewer && <li><svg class="sign ceiling compute fewer" width={26} height={10} aria-hidden="true"><line x1={1} y1={5} x2={25} y2={5} /></svg> the same of fewer cores</li>}
            {arrows && <li><svg class="sign arrows" width={12} height={18} aria-hidden="true"><line class="hoped" x1={6} y1={8} x2={6} y2={18} /><path d="M6 0l5 8h-10z" /></svg> predicted: dashed to the least gain, solid to the most</li>}
            {levels && <li><svg class="sign level" width={26} height={10} aria-hidden="true"><line x1={1} y1={5} x2={25} y2={5} /><circle cx={9} cy={5} r={4} /></svg> intensity at a memory level: estimate and range</li>}
        </ul>
    );
}
