/** The answer on one screen, and behind it everything that is known of the run as a whole. */

import { groups } from "../../logic/groups";
import type { ViewProps } from "../App";
import { CountsOfRun } from "./CountsOfRun";
import { CpuUsage } from "./CpuUsage";
import { Headline } from "./Headline";
import { HottestLoops } from "./HottestLoops";
import { MachineFacts } from "./MachineFacts";
import { Modules } from "./Modules";
import { RunDetails } from "./RunDetails";
import { FullerPicture, Warnings } from "./Shortcomings";
import { SlotsOfRun } from "./SlotsOfRun";
import { Threads } from "./Threads";
import { TimeShares } from "./TimeShares";
import { TracesOfRun } from "./TracesOfRun";
import { WhatToDo } from "./WhatToDo";

export function SummaryView({ report }: ViewProps) {
    const { analysis } = report;
    const loops = groups(analysis);
    return (
        <>
            <div class="answer">
                <Headline report={report} />
                <TimeShares program={analysis.program} groups={loops} />
                <WhatToDo analysis={analysis} />
                <HottestLoops groups={loops} samples={analysis.program.samples} />
            </div>
            <div class="particulars">
                <CpuUsage program={analysis.program} />
                <Threads analysis={analysis} />
                <FullerPicture missing={report.missing} />
                <Warnings warnings={analysis.warnings.filter((warning) => !warning.startsWith("no samples:"))} />
                <RunDetails program={analysis.program} />
                <CountsOfRun report={report} />
                <TracesOfRun report={report} />
                <SlotsOfRun report={report} />
                <MachineFacts report={report} />
            </div>
            <Modules modules={analysis.modules} />
        </>
    );
}
