/** What keeps the answer of the first build, and what it costs beside the second build as it is. */

import { useMemo } from "preact/hooks";
import type { ReproductionFacts } from "../../logic/contract";
import { ANSWER_TONES } from "../../logic/contract/words";
import { cheapestParts, repairRows, speedNote } from "../../logic/reproduction";
import { answerWords } from "../../logic/trials";
import { CopiedParts } from "../parts/CopiedParts";
import { GainChart } from "../parts/GainChart";
import { Panel } from "../parts/Panel";
import { PartList } from "../parts/PartList";

export function Repairs({ found }: { found: ReproductionFacts }) {
    const rows = useMemo(() => repairRows(found), [found]);
    const cheapest = cheapestParts(found);
    return (
        <Panel title="What keeps the answer" note="How many times as fast as the first build. A row opens to its options.">
            <GainChart
                rows={rows}
                claimedFrom={found.claimed_from}
                label="Versions by their speed"
                more={({ tried }) => (
                    <>
                        {tried.answer !== undefined && <p>Answer: <span class={ANSWER_TONES[tried.answer]}>{answerWords(tried)}</span></p>}
                        <PartList parts={tried.parts ?? []} />
                    </>
                )}
            />
            {cheapest !== undefined && (
                <>
                    <h3>The cheapest that keeps the answer</h3>
                    <CopiedParts parts={cheapest} />
                </>
            )}
            <p class="dim">{speedNote(found)}</p>
        </Panel>
    );
}
