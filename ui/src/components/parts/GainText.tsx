import type { Gain } from "../../logic/contract";
import { mayBeSlower, ratio, ratioRange } from "../../logic/quantity";

/** A predicted gain: `likely 1.40×, 1.10–1.80×`; a range that begins below 1 may be a loss. */
export function GainText({ gain, likely, at }: { gain: Gain; likely: number | undefined; at: string }) {
    const range = ratioRange(gain);
    const most = likely === undefined ? range : ratio(likely);
    return (
        <>
            {most !== range && (
                <>
                    likely <span data-key={`${at}_likely`}>{most}</span>,{" "}
                </>
            )}
            <span data-key={at}>{range}</span>
            {mayBeSlower(gain) && ", may be slower"}
        </>
    );
}
