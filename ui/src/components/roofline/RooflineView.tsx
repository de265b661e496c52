/** The roofline: how far each counted loop is from what this machine can do. */

import { useCallback, useMemo, useRef } from "preact/hooks";
import { collect } from "../../logic/invocation";
import { counted, share } from "../../logic/quantity";
import { MOST_DOTS, drawn } from "../../logic/roofline/placed";
import { choices as recommended, predictions } from "../../logic/roofline/prediction";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { changeQuery } from "../parts/location";
import { CeilingTable } from "./CeilingTable";
import { Chart } from "./Chart";
import { Controls } from "./Controls";
import { DataMovers } from "./DataMovers";
import { Legend } from "./Legend";
import { LoopTable } from "./LoopTable";
import { MarkedLoop } from "./MarkedLoop";
import { PredictionList } from "./PredictionList";
import { useChoices } from "./useChoices";

export function RooflineView(given: ViewProps) {
    const { analysis } = given.report;
    const any = useMemo(() => analysis.loops.some((loop) => loop.roofline !== undefined), [analysis]);
    if (!any) {
        return (
            <Absent command={collect(analysis, "roofline")}>
                No work was counted, so it is not known how many operations and bytes a loop has.
            </Absent>
        );
    }
    return <Counted {...given} />;
}

function Counted({ report, route }: ViewProps) {
    const { analysis } = report;
    const choices = useChoices(report, route);
    const { places, lines, least, loop: marked } = choices;
    const { dots, more, small } = useMemo(() => drawn(places, least, marked), [places, least, marked]);
    const recommendations = useMemo(() => recommended(places), [places]);
    const effect = route.query.get("effect") ?? "";
    const aims = useMemo(() => {
        if (effect === "loop") return marked === undefined ? [] : predictions(places, { loop: marked });
        return effect.startsWith("rec:") ? predictions(dots, { id: effect.slice(4) }) : [];
    }, [effect, marked, places, dots]);
    const own = useMemo(() => (marked === undefined ? 0 : predictions(places, { loop: marked }).length), [places, marked]);
    const movers = useMemo(
        () => analysis.loops.filter((loop) => loop.roofline?.kind === "bytes" && loop.self_share > 0 && loop.self_share >= least),
        [analysis, least],
    );
    const latest = useRef(route);
    latest.current = route;
    const change = useCallback((changes: Record<string, string | number | undefined>) => changeQuery(latest.current, changes), []);
    const place = dots.find((dot) => dot.loop.id === marked);
    const loop = useMemo(() => analysis.loops.find((each) => each.id === marked), [analysis, marked]);
    return (
        <div class="roofline">
            <Controls route={route} choices={choices} recommendations={recommendations} own={own} />
            {analysis.machine?.ceilings === undefined && (
                <Absent command="loopwright machine --measure">
                    The ceilings of this machine are not known: measure them once, then survey the program again.
                </Absent>
            )}
            {analysis.program.samples === 0 ? (
                <Absent command={collect(analysis, "roofline")}>No time was sampled: there are intensities, but no rates.</Absent>
            ) : dots.length === 0 && <p>No loop has a place on the axes; the table says why.</p>}
            {dots.length > 0 && (
                <>
                    <Legend
                        bandwidths={lines.some((line) => line.kind === "memory")}
                        peaks={lines.some((line) => line.kind === "compute")}
                        fewer={choices.cores.length > 1}
                        arrows={aims.length > 0}
                        levels={(place?.point.levels ?? []).length > 0}
                    />
                    <Chart key={choices.axis} zoomText={route.query.get("zoom")} change={change} axis={choices.axis} dots={dots} lines={lines} marked={place} predictions={aims} />
                </>
            )}
            {more > 0 && <p class="dim" data-key="left_out">The {counted(MOST_DOTS, "loop", "loops")} with most self time are drawn, {counted(more, "loop", "loops")} with less left out.</p>}
            {small > 0 && <p class="dim">{counted(small, "loop", "loops")} below {share(least)} of the time left out.</p>}
            <CeilingTable lines={lines} />
            {aims.length > 0 && <PredictionList predictions={aims} />}
            <div class="beside">
                {loop !== undefined && <MarkedLoop loop={loop} />}
                <DataMovers loops={movers} />
            </div>
            <LoopTable route={route} loops={analysis.loops} least={least} marked={marked} />
        </div>
    );
}
