import { rate } from "../../logic/quantity";
import { GainText } from "../parts/GainText";
import { MOST_ARROWS, type Prediction } from "../../logic/roofline/prediction";
import { unitOf } from "../../logic/roofline/placed";
import { LoopLink } from "../parts/LoopLink";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";

/** The arrows in words. */
export function PredictionList({ predictions }: { predictions: readonly Prediction[] }) {
    const note = predictions.length >= MOST_ARROWS ? `The ${MOST_ARROWS} with most self time.` : undefined;
    return (
        <Panel title="Predicted effect" note={note}>
            <ul class="predictions">
                {predictions.map(({ place: { loop, point, rate: from }, recommendation, low, high, note: limit }) => (
                    <li key={`${loop.id} ${recommendation.id}`} data-loop={loop.id} data-recommendation={recommendation.id}>
                        <LoopLink loop={loop} longest={40} />: <Prose text={recommendation.title} />. From {rate(from)} to {rate(low)}–{rate(high)} {unitOf(point.kind)}
                        {recommendation.loop_gain !== undefined && (
                            <>
                                {" "}
                                (<GainText gain={recommendation.loop_gain} likely={recommendation.loop_gain_likely} at="loop_gain" />)
                            </>
                        )}
                        {limit !== undefined && <span class="dim">; {limit}</span>}
                    </li>
                ))}
            </ul>
        </Panel>
    );
}
