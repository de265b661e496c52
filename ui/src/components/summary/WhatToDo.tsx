import { useMemo, useState } from "preact/hooks";
import { byPlace, cards } from "../../logic/advice";
import type { Analysis } from "../../logic/contract";
import { loopsById } from "../../logic/groups";
import { NO_SAMPLES } from "../../logic/contract/words";
import { count } from "../../logic/quantity";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { usePrinting } from "../parts/usePrinting";
import { AdviceCard } from "./AdviceCard";

/** Places whose advice is shown at once. */
const PLACES = 3;
/** Recommendations drawn at a time once all are asked for. */
const STEP = 50;

/** The changes with the largest predicted gain. */
export function WhatToDo({ analysis }: { analysis: Analysis }) {
    const all = useMemo(() => cards(analysis), [analysis]);
    const places = useMemo(() => byPlace(all.filter((each) => each.minor !== true)), [all]);
    const [open, setOpen] = useState(false);
    const [most, setMost] = useState(STEP);
    const printing = usePrinting();
    const loops = loopsById(analysis);
    const loopOf = (id: number | undefined) => (id === undefined ? undefined : loops.get(id));
    if (all.length === 0) {
        const why = analysis.program.samples === 0 ? NO_SAMPLES : "No rule found a change that is worth making.";
        return (
            <Panel title="What to do" kind="what-to-do">
                <p class="dim"><Prose text={why} /></p>
            </Panel>
        );
    }
    const shown = open || printing;
    return (
        <Panel title="What to do" kind="what-to-do">
            <ol class="advice-list">
                {places.slice(0, PLACES).map(({ best, others }) => (
                    <AdviceCard key={`${best.id} ${best.loop_id ?? best.place ?? ""}`} advice={best} loop={loopOf(best.loop_id)} others={others} />
                ))}
            </ol>
            {all.length > 1 && (
                <details open={shown} onToggle={(event) => setOpen(event.currentTarget.open)}>
                    <summary>All {count(all.length)} recommendations, the most valuable first</summary>
                    {shown && (
                        <ol class="advice-list all">
                            {all.slice(0, most).map((advice) => (
                                <AdviceCard
                                    key={`${advice.id} ${advice.loop_id ?? ""} ${advice.place ?? ""}`}
                                    advice={advice}
                                    loop={loopOf(advice.loop_id)}
                                />
                            ))}
                        </ol>
                    )}
                    {shown && all.length > most && (
                        <button type="button" onClick={() => setMost(most + STEP)}>
                            {Math.min(STEP, all.length - most)} more
                        </button>
                    )}
                </details>
            )}
        </Panel>
    );
}
