/** Everything about one loop on one page. */

import { useEffect } from "preact/hooks";
import type { LoopFacts, Report } from "../../logic/contract";
import { hottest, loopOf } from "../../logic/loop-page/neighbours";
import { sectionOf } from "../../logic/loop-page/sections";
import { survey } from "../../logic/loop-page/commands";
import { address } from "../../logic/route";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { LoopLink } from "../parts/LoopLink";
import { AccessPatterns } from "./AccessPatterns";
import { Bottleneck } from "./Bottleneck";
import { Branches } from "./Branches";
import { Contents, goTo } from "./Contents";
import { Dependences } from "./Dependences";
import { Head } from "./Head";
import { LoopSource } from "./LoopSource";
import { MemoryBehaviour } from "./MemoryBehaviour";
import { Recommendations, adviceOn } from "./Recommendations";
import { RooflinePosition } from "./RooflinePosition";
import { Time } from "./Time";
import { Top } from "./Top";
import { TripCounts } from "./TripCounts";
import { VectorUse } from "./VectorUse";
import { WhyNotVectorised } from "./WhyNotVectorised";
import { WorkDone } from "./WorkDone";

export interface PartProps {
    report: Report;
    loop: LoopFacts;
}

export function LoopPage({ report, route }: ViewProps) {
    const { analysis } = report;
    const loop = route.loop === undefined ? hottest(analysis) : loopOf(analysis, route.loop);
    const at = sectionOf(route.query.get("at"));
    useEffect(() => {
        // Without a part, the frame leads to the top of a new page, and back to where the reader was on an old one.
        if (at !== undefined) goTo(at);
    }, [loop?.id, at]);
    if (loop === undefined) return <NoLoop report={report} id={route.loop} />;
    const part = { report, loop };
    // Advice takes the height of several panels.
    const advised = adviceOn(analysis, loop).length > 0;
    return (
        // A new loop is a new page: nothing that was opened or chosen on the old one stays.
        <div class="loop-page" key={loop.id}>
            <Contents loop={loop.id} current={at} />
            <div class="loop-parts">
                <Top {...part} />
                <div class="loop-first">
                    <Recommendations {...part} />
                    <div class="loop-parts">
                        <LoopSource {...part} />
                        <Time {...part} />
                        <WhyNotVectorised {...part} />
                        {advised && <VectorUse {...part} />}
                    </div>
                </div>
                <Bottleneck {...part} />
                <div class="loop-figures">
                    {!advised && <VectorUse {...part} />}
                    <TripCounts {...part} />
                    <WorkDone {...part} />
                </div>
                <RooflinePosition {...part} />
                <AccessPatterns {...part} />
                <MemoryBehaviour {...part} />
                <Branches {...part} />
                <Dependences {...part} />
                <Head {...part} />
            </div>
        </div>
    );
}

function NoLoop({ report, id }: { report: Report; id: number | undefined }) {
    const first = hottest(report.analysis);
    if (first === undefined) {
        return <Absent command={survey(report.analysis)}>No loop is known in this state: nothing was sampled or counted within loops.</Absent>;
    }
    return (
        <div class="absent" role="status">
            <p>
                {id === undefined ? "No loop was named." : `There is no loop ${id} in this state.`} The hottest is <LoopLink loop={first} />;{" "}
                <a href={address("loops")}>all loops</a> are in their table.
            </p>
        </div>
    );
}
