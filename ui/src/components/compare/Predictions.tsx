/** Predicted and measured gains of the earlier state's recommendations. */

import { Fragment } from "preact";
import { useMemo } from "preact/hooks";
import { outcomeBadge, predictionRows, predictionSummary } from "../../logic/compare";
import type { Prediction } from "../../logic/contract";
import { printable } from "../../logic/names";
import { count, ratio, ratioRange } from "../../logic/quantity";
import type { Route } from "../../logic/route";
import { ratioScale, type RatioScale } from "../../logic/ratio-scale";
import { changeQuery } from "../parts/location";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { TableRegion } from "../parts/TableRegion";
import { usePrinting } from "../parts/usePrinting";
import { Badge } from "../parts/Badge";
import { RatioAxis, RatioMark } from "../parts/RatioMark";

const SCOPES: Record<NonNullable<Prediction["scope"]>, string> = {
    loop: "time of the loop",
    "loop-total": "time of the loop with what it calls",
    program: "CPU time of the program",
    elapsed: "elapsed time of the program",
};

function Row({ index, prediction, scale }: { index: number; prediction: Prediction; scale: RatioScale }) {
    const badge = outcomeBadge(prediction.outcome);
    const { predicted, predicted_likely: likely, measured, interval, together = [] } = prediction;
    return (
        <tr data-prediction={index}>
            <th scope="row">
                <span data-key="title"><Prose text={prediction.title} /></span>
                <div class="dim">
                    {prediction.function !== undefined && <Name text={prediction.function} longest={40} symbol />}{" "}
                    {prediction.place !== undefined && <Name text={prediction.place} longest={40} />}
                    {`${prediction.function === undefined ? "" : ": "}${SCOPES[prediction.scope]}`}
                </div>
                {together.length > 0 && (
                    <div class="dim">
                        together with{" "}
                        {together.map((id, at) => (
                            <Fragment key={at}>
                                {at > 0 && ", "}
                                <code>{printable(id)}</code>
                            </Fragment>
                        ))}
                        , which cannot be distinguished
                    </div>
                )}
                {prediction.note !== undefined && <div class="compare-note" data-key="note"><Prose text={prediction.note} /></div>}
            </th>
            <td data-label="outcome">
                <Badge badge={badge} name="outcome" />
            </td>
            <td class="number" data-label="predicted">
                <span data-key="predicted">{ratioRange(predicted)}</span>
                {likely !== undefined && (
                    <div class="dim">
                        likely <span data-key="predicted_likely">{ratio(likely)}</span>
                    </div>
                )}
            </td>
            <td class="number" data-label="measured">
                {measured === undefined ? <span class="dim">not measured</span> : <span data-key="measured">{ratio(measured)}</span>}
                {interval !== undefined && (
                    <div class="dim" data-key="interval">
                        {ratioRange(interval)}
                    </div>
                )}
            </td>
            <td class="compare-drawn">
                <RatioMark scale={scale} value={measured} interval={interval} predicted={predicted} tone={badge.tone} />
            </td>
        </tr>
    );
}

/** Rows drawn unless all are wanted: more would push the loops out of sight. */
const FIRST = 6;

export function Predictions({ predictions, route }: { predictions: readonly Prediction[]; route: Route }) {
    const printing = usePrinting();
    const all = route.query.get("predictions") === "all";
    const found = useMemo(() => predictionRows(predictions, all || printing ? predictions.length : FIRST), [predictions, all, printing]);
    const scale = useMemo(
        () => ratioScale(predictions.flatMap((each) => [...each.predicted, ...(each.interval ?? []), ...(each.measured === undefined ? [] : [each.measured])])),
        [predictions],
    );
    return (
        <Panel title="Predictions" note="The recommendations of the earlier state, compared with what was measured. The band is the prediction, the dot with its line what was measured.">
            <p class="compare-summary">{predictionSummary(predictions)}.</p>
            <TableRegion label="Predicted and measured gains">
                <table class="compare-predictions">
                    <thead>
                        <tr>
                            <th scope="col">Recommendation</th>
                            <th scope="col">Outcome</th>
                            <th scope="col" class="number">
                                Predicted
                            </th>
                            <th scope="col" class="number">
                                Measured
                            </th>
                            <th scope="col">
                                <span class="unseen">Drawn</span>
                                <RatioAxis scale={scale} />
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {found.map(({ index, prediction }) => (
                            // The same may have been recommended for several loops.
                            <Row key={index} index={index} prediction={prediction} scale={scale} />
                        ))}
                    </tbody>
                </table>
            </TableRegion>
            {(all || found.length < predictions.length) && (
                <button type="button" class="compare-more" aria-expanded={all} onClick={() => changeQuery(route, { predictions: all ? undefined : "all" })}>
                    {all ? "Show the first only" : `Show all ${count(predictions.length)} recommendations`}
                </button>
            )}
        </Panel>
    );
}
