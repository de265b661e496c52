/** Two states side by side: what got faster or slower, which loops lost their vectors, which predictions came true. */

import { useMemo } from "preact/hooks";
import { lostVectors } from "../../logic/compare";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { ChangeTable } from "./ChangeTable";
import { Findings, Headline } from "./Headline";
import { LostVectors } from "./LostVectors";
import { Predictions } from "./Predictions";

const HOW = "loopwright snapshot NAME\nloopwright report --html out.html --against NAME";

export function CompareView({ report, route }: ViewProps) {
    const { comparison } = report;
    const lost = useMemo(() => (comparison === undefined ? [] : lostVectors(comparison)), [comparison]);
    if (comparison === undefined) {
        return <Absent command={HOW}>This report shows one state. Keep a state under a name before you change the program, then hold the new one against it:</Absent>;
    }
    return (
        <div class="compare-view">
            <LostVectors changes={lost} report={report} />
            <div class="compare-top">
                <Headline comparison={comparison} />
                {comparison.findings !== undefined && <Findings findings={comparison.findings} />}
            </div>
            {comparison.predictions !== undefined && comparison.predictions.length > 0 && <Predictions predictions={comparison.predictions} />}
            {comparison.loops.length === 0 ? <p>Neither state has loops with samples.</p> : <ChangeTable report={report} comparison={comparison} route={route} />}
        </div>
    );
}
