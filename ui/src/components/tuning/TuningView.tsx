/** What the search for the best build found: the best one, all of them as a picture, what was rejected, and the table. */

import { useMemo } from "preact/hooks";
import type { TuneFacts } from "../../logic/contract";
import { NOTHING_TO_TUNE, NOT_TUNED, TRIED_OUTCOMES, TRIED_TONES } from "../../logic/contract/words";
import { ratio } from "../../logic/quantity";
import { LONGEST, bestWords, drawn, isConfirmed, rejected, tuningNotes } from "../../logic/tuning";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { Command } from "../parts/Command";
import { CopiedParts } from "../parts/CopiedParts";
import { GainChart } from "../parts/GainChart";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { PartList } from "../parts/PartList";
import { Prose } from "../parts/Prose";
import { BuildTable } from "./BuildTable";
import { ChangedLoops } from "./ChangedLoops";

export function TuningView({ report: { analysis }, route }: ViewProps) {
    const { tuning } = analysis;
    if (tuning === undefined) return <Absent>{NOT_TUNED}</Absent>;
    return (
        <>
            <Best tuning={tuning} />
            <ChangedLoops loops={tuning.loops_changed ?? []} />
            {tuning.candidates.length === 0 ? <p>{NOTHING_TO_TUNE}</p> : <Picture tuning={tuning} />}
            <Rejected tuning={tuning} />
            {tuning.candidates.length > 0 && <BuildTable tuning={tuning} route={route} />}
        </>
    );
}

/** The answer: the best build on runs of its own, and how to have it. */
function Best({ tuning }: { tuning: TuneFacts }) {
    const { best } = tuning;
    const confirmed = isConfirmed(tuning);
    return (
        <Panel title="The best build" kind="trial-best">
            {best?.measured_median !== undefined && (
                <p class={`trial-gain ${confirmed ? "good" : "caution"}`}>
                    <strong data-key="tuning.best.measured_median">{ratio(best.measured_median)}</strong>
                    <code><Name text={best.change} longest={LONGEST} /></code>
                </p>
            )}
            <p data-key={best?.measured === undefined ? undefined : "tuning.best.measured"}>{bestWords(tuning)}</p>
            {best !== undefined && (confirmed ? <CopiedParts parts={best.parts ?? []} /> : <PartList parts={best.parts ?? []} />)}
            {confirmed && (
                <div class="copied">
                    <p>As a file that build systems read (<code>sh</code>, <code>make</code>, <code>cmake</code>, <code>presets</code>, <code>cargo</code>):</p>
                    <Command text="loopwright tune --emit sh > best.sh" />
                </div>
            )}
            <ul class="plain dim">
                {tuningNotes(tuning).map((note) => (
                    <li key={note}>{note}</li>
                ))}
            </ul>
        </Panel>
    );
}

function Picture({ tuning }: { tuning: TuneFacts }) {
    const rows = useMemo(() => drawn(tuning), [tuning]);
    if (rows.length === 0) return null;
    return (
        <Panel title="Gains of all builds" note="How many times as fast as the project's own build, in rounds beside it. A row opens to what the build is made of.">
            <GainChart rows={rows} claimedFrom={tuning.claimed_from} label="Builds by their gain" more={({ tried }) => <PartList parts={tried.parts ?? []} />} />
        </Panel>
    );
}

function Rejected({ tuning }: { tuning: TuneFacts }) {
    const groups = useMemo(() => rejected(tuning), [tuning]);
    if (groups.length === 0) return null;
    return (
        <Panel title="Without a figure" note="Builds that were refused before they were measured, and what was not tried.">
            <ul class="plain tune-rejected">
                {groups.map(({ outcome, why, builds }) => (
                    <li key={`${outcome} ${why}`}>
                        <span class={`badge ${TRIED_TONES[outcome]}`}>{TRIED_OUTCOMES[outcome]}</span>
                        <div>
                            {builds.map((build, at) => (
                                <>
                                    {at > 0 && ", "}
                                    <code key={build}><Name text={build} longest={LONGEST} /></code>
                                </>
                            ))}
                            {why !== "" && <p class="dim"><Prose text={why} /></p>}
                        </div>
                    </li>
                ))}
            </ul>
        </Panel>
    );
}
