import type { HitRate } from "../../logic/contract";
import { TOP } from "../../logic/casebook/cases";
import { ofAll } from "../../logic/casebook/words";
import { Panel } from "../parts/Panel";

function Rate({ label, part, all, at }: { label: string; part: number; all: number; at?: string | undefined }) {
    return (
        <>
            <dt>{label}</dt>
            <dd>
                {all > 0 && (
                    <span class="rate-track" aria-hidden="true">
                        <span class="rate-fill" style={{ width: `${(100 * part) / all}%` }} />
                    </span>
                )}
                <span data-key={at}>{ofAll(part, all)}</span>
            </dd>
        </>
    );
}

/** How often the expected advice was given, and its prediction held. */
export function HitRates({ rate, at, title }: { rate: HitRate; at?: string; title: string }) {
    const key = (name: string) => (at === undefined ? undefined : `${at}.${name}`);
    return (
        <Panel title={title} note="A rung is a stage that advice can lead to, each compiler apart.">
            <dl class="facts rates">
                <Rate label={`Rungs with the expected advice in the first ${TOP}`} part={rate.recommended} all={rate.rungs} at={key("recommended")} />
                <Rate label="Measured gains in the predicted range" part={rate.came_true} all={rate.predicted} at={key("came_true")} />
            </dl>
        </Panel>
    );
}
