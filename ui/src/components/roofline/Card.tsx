import { functionName, place as placeName } from "../../logic/names";
import { rate, ratio, share } from "../../logic/quantity";
import { type Placed, unitOf } from "../../logic/roofline/placed";
import { Facts } from "../parts/Facts";
import { Name } from "../parts/Name";
import { Prose } from "../parts/Prose";

const WIDTH = 290;

/** What is known of the dot under the pointer or in focus, beside it. */
export function Card({ place: { loop, point, intensity, rate: achieved }, x, y, width }: { place: Placed; x: number; y: number; width: number }) {
    const unit = unitOf(point.kind);
    const left = x + WIDTH + 30 < width ? x + 18 : Math.max(x - WIDTH - 18, 0);
    return (
        <div class="dot-card" data-loop={loop.id} style={{ left, top: Math.max(y - 60, 0), width: Math.min(WIDTH, width) }}>
            <p><strong><Name text={functionName(loop)} longest={70} /></strong> <Name text={placeName(loop)} longest={50} /></p>
            <Facts
                items={[
                    ["Loop", `${loop.id}, ${loop.vectorized ? "vectorised" : "scalar"}`],
                    ["Self time", <span data-key="self_share">{share(loop.self_share)}</span>],
                    ["Achieved", `${loop.work?.flop_is_bound === true && point.kind === "flop" ? "≤ " : ""}${rate(achieved)} ${unit}`],
                    ["Intensity", <span data-key="roofline.intensity">{rate(intensity)} per byte</span>],
                    ["Bound by", point.bound && <span data-key="roofline.bound">{point.bound}</span>],
                    ["Ceiling", point.ceiling !== undefined && <span data-key="roofline.ceiling">{rate(point.ceiling)} {unit}</span>],
                    ["Headroom", point.headroom !== undefined && <span data-key="roofline.headroom">{ratio(point.headroom)}</span>],
                ]}
            />
            {point.how !== undefined && <p class="dim"><Prose text={point.how} /></p>}
        </div>
    );
}
