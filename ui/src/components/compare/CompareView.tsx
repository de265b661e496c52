/** Two states side by side: what was gained, in the whole and in each loop; then counts, findings and predictions. */

import { useMemo } from "preact/hooks";
import { NO_SAMPLED_LOOPS } from "../../logic/contract/words";
import { lostVectors } from "../../logic/compare";
import { collect } from "../../logic/invocation";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { ChangeTable } from "./ChangeTable";
import { Findings } from "./Findings";
import { Gain } from "./Gain";
import { Headline } from "./Headline";
import { LostVectors } from "./LostVectors";
import { Predictions } from "./Predictions";

export function CompareView({ report, route }: ViewProps) {
    const { comparison } = report;
    const lost = useMemo(() => (comparison === undefined ? [] : lostVectors(comparison)), [comparison]);
    if (comparison === undefined) {
        const how = ["loopwright snapshot before", collect(report.analysis, "advise"), "loopwright report --against before --html compare.html"].join("\n");
        return <Absent command={how}>This report shows one state. Keep it under a name, change the program, look at it again, and hold the new state against the old one:</Absent>;
    }
    return (
        <div class="compare-view">
            <Gain comparison={comparison} />
            <LostVectors changes={lost} report={report} route={route} />
            {comparison.loops.length === 0 ? <p>{NO_SAMPLED_LOOPS}</p> : <ChangeTable report={report} comparison={comparison} route={route} />}
            <div class="compare-top">
                <Headline comparison={comparison} />
                {comparison.findings !== undefined && <Findings findings={comparison.findings} route={route} />}
            </div>
            {comparison.predictions.length > 0 && <Predictions predictions={comparison.predictions} route={route} />}
        </div>
    );
}
