/** What the workbench recommended on the stage before, with what was expected of it. */

import { useState } from "preact/hooks";
import type { Fired, Ladder, StageRecord } from "../../logic/contract";
import { fromStage } from "../../logic/casebook/cases";
import { adviceTold } from "../../logic/casebook/words";
import { counted, ratioRange } from "../../logic/quantity";
import { Badge } from "../parts/Badge";
import { Name } from "../parts/Name";
import { Prose } from "../parts/Prose";
import { Sureness } from "../parts/Sureness";
import { usePrinting } from "../parts/usePrinting";

/** Recommendations that are shown at once. */
const FIRST = 3;
/** Places of one recommendation that are named. */
const PLACES = 3;

export function FiredList({ ladder, stage, path }: { ladder: Ladder; stage: StageRecord; path: string }) {
    const [all, setAll] = useState(false);
    const printing = usePrinting();
    const from = fromStage(ladder, stage);
    if (from?.advice === undefined) return null;
    const { recommendations, command } = from.advice;
    const verdict = stage.rung === undefined ? undefined : adviceTold(ladder, stage);
    const shown = recommendations.map((fired, at) => ({ fired, at })).filter(({ fired, at }) => all || printing || at < FIRST || fired.id === stage.rung?.id);
    const left = recommendations.length - shown.length;
    const before = path.replace(/\d+$/, String(stage.from ?? 0));
    return (
        <>
            <h4>
                Advice on <Name text={from.name} longest={40} />
            </h4>
            {verdict !== undefined && verdict.tone !== "good" && (
                <p>
                    <Badge badge={verdict} />
                </p>
            )}
            {recommendations.length === 0 ? (
                <p class="dim">Nothing was recommended.</p>
            ) : (
                <ol class="fired" data-stage={before}>
                    {shown.map(({ fired, at }) => (
                        <FiredItem key={fired.id} fired={fired} at={at} expected={[fired.id, ...(fired.changes ?? [])].some((id) => (stage.expected ?? []).includes(id))} />
                    ))}
                </ol>
            )}
            {left > 0 && (
                <button type="button" class="more" onClick={() => setAll(true)}>
                    Show {counted(left, "other recommendation", "other recommendations")}
                </button>
            )}
            <p class="dim fired-command">
                <code>
                    <Name text={command} longest={200} />
                </code>
            </p>
        </>
    );
}

function FiredItem({ fired, at, expected }: { fired: Fired; at: number; expected: boolean }) {
    const key = `advice.recommendations.${at}`;
    const places = fired.places.slice(0, PLACES);
    return (
        <li value={at + 1} class={expected ? "expected" : ""}>
            <span data-key={`${key}.title`}><Prose text={fired.title} /></span> <code data-key={`${key}.id`}>{fired.id}</code>{" "}
            {expected && <span class="badge good">expected</span>}
            <div class="dim">
                {fired.program_gain !== undefined && <>predicted <span data-key={`${key}.program_gain`}>{ratioRange(fired.program_gain)}</span></>}
                {fired.program_gain !== undefined && fired.confidence !== undefined && ", "}
                {fired.confidence !== undefined && <Sureness confidence={fired.confidence} at={`${key}.confidence`} />}
                {places.length > 0 && (
                    <>
                        {" "}
                        at <Name text={places.join("; ")} longest={120} />
                        {fired.places.length > PLACES && ` and ${counted(fired.places.length - PLACES, "other place", "other places")}`}
                    </>
                )}
            </div>
        </li>
    );
}
