/** Source and assembly side by side, each leading to the other. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { choice } from "../../logic/code/choice";
import { addressOf, Counterparts } from "../../logic/code/listing";
import { begin, chooseInstruction, chooseLine, linked, type Selection } from "../../logic/code/selection";
import type { Report } from "../../logic/contract";
import { loopsById } from "../../logic/groups";
import { address } from "../../logic/route";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { changeQuery, go } from "../parts/location";
import { usePrinting } from "../parts/usePrinting";
import { AssemblyHead, SourceHead } from "./Heads";
import { AssemblyPane } from "./AssemblyPane";
import { MarkLegend } from "./MarkMargin";
import type { How } from "./Pane";
import { type OpenRemarks, SourcePane } from "./SourcePane";

/** After this long without another choice the address bar follows, so that it can be copied. */
const SETTLED = 300;

/** What is selected, as the address's query. */
function queryOf(report: Report, now: Selection, remarks: string): Record<string, string | number | undefined> {
    const listing = report.listings[now.listing];
    const at = now.instruction === undefined ? undefined : listing?.instructions[now.instruction]?.[0];
    return { file: report.sources[now.source]?.file, line: now.line, function: listing?.function, module: listing?.module, at, remarks };
}

/** Lets the address follow without drawing anything anew: it only says what is shown already. */
function follow(to: string): void {
    try {
        history.replaceState(history.state, "", to);
    } catch {
        // Browsers refuse after many changes in a short time: the next one makes up for it.
    }
}

export function CodeView({ report, route }: ViewProps) {
    const loops = useMemo(() => loopsById(report.analysis), [report]);
    const counterparts = useMemo(() => new Counterparts(report, loops), [report, loops]);
    const entries = useMemo(() => new Map(report.listings.map((each, at) => [`${each.module}\0${addressOf(each.address)}`, at])), [report]);
    const chosen = useMemo(() => choice(report, route), [report, route]);
    const [now, setNow] = useState(() => begin(chosen));
    const [hovered, setHovered] = useState<{ line?: number | undefined; instruction?: number | undefined }>({});
    const printing = usePrinting();
    const [sourceGrid, assemblyGrid] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
    const remarks = route.query.get("remarks") ?? "";
    const open: OpenRemarks = remarks === "all" || remarks === "none" ? remarks : "loops";

    const first = useRef(chosen);
    useLayoutEffect(() => {
        if (first.current === chosen) return;
        first.current = chosen;
        setNow((before) => begin(chosen, before));
    }, [chosen]);

    useEffect(() => {
        if (now.line === chosen.line && now.instruction === chosen.instruction && now.listing === chosen.listing) return undefined;
        const later = setTimeout(() => follow(address("code", now.loop, queryOf(report, now, remarks))), SETTLED);
        return () => clearTimeout(later);
    }, [report, now, chosen, remarks]);

    const source = report.sources[now.source];
    const facts = counterparts.listing(now.listing);
    const selected = useMemo(() => linked(report, counterparts, now, now.line), [report, counterparts, now.source, now.listing, now.line]);
    const pointed = useMemo(() => linked(report, counterparts, now, hovered.line), [report, counterparts, now.source, now.listing, hovered.line]);
    /** The line of an instruction that is pointed at, if it is of the file shown. */
    const pointedLine = (): number | undefined => {
        const row = hovered.instruction === undefined ? undefined : facts?.listing.instructions[hovered.instruction];
        return row !== undefined && row[2] !== null && facts?.listing.files[row[2]] === source?.file ? (row[3] ?? undefined) : undefined;
    };
    const show = (change: Partial<Selection>) => {
        go(address("code", undefined, queryOf(report, { ...now, line: undefined, instruction: undefined, ...change }, remarks)));
    };
    const fromLine = (line: number, how: How) => {
        setNow(chooseLine(report, counterparts, now, line, how !== "walk"));
        if (how === "enter") assemblyGrid.current?.focus();
    };
    const fromInstruction = (instruction: number, how: How) => {
        setNow(chooseInstruction(report, now, instruction, how !== "walk"));
        if (how === "enter") sourceGrid.current?.focus();
    };

    if (report.sources.length === 0 && report.listings.length === 0) {
        return (
            <Absent command="loopwright survey -- PROGRAM ARGUMENTS">
                This report has neither source files nor listings: no function with samples had instructions or line information.
            </Absent>
        );
    }
    return (
        <div class="code-view">
            <section class="code-pane" aria-labelledby="code-source-title">
                <SourceHead
                    report={report}
                    now={now}
                    remarks={open}
                    instructions={selected.length}
                    onFile={(at) => show({ source: at, listing: facts?.listing.files.includes(report.sources[at]?.file ?? "") === true ? now.listing : -1 })}
                    onRemarks={(value) => changeQuery(route, queryOf(report, now, value))}
                />
                {source !== undefined && (
                    <SourcePane
                        key={source.file}
                        report={report}
                        source={source}
                        loop={now.loop}
                        line={now.line}
                        hovered={pointedLine()}
                        show={now.showSource}
                        open={open}
                        printing={printing}
                        grid={sourceGrid}
                        onChoose={fromLine}
                        onHover={(line) => setHovered({ line })}
                    />
                )}
                {source !== undefined && <MarkLegend marks={source.marks} />}
            </section>
            <section class="code-pane" aria-labelledby="code-assembly-title">
                <AssemblyHead report={report} now={now} loops={loops} onListing={(at) => show({ listing: at, source: -1 })} />
                {facts !== undefined && (
                    <AssemblyPane
                        key={now.listing}
                        report={report}
                        facts={facts}
                        entries={entries}
                        loop={now.loop}
                        instruction={now.instruction}
                        linked={selected}
                        hovered={pointed}
                        show={now.showAssembly}
                        printing={printing}
                        grid={assemblyGrid}
                        onChoose={fromInstruction}
                        onHover={(instruction) => setHovered({ instruction })}
                    />
                )}
                <p class="code-keys dim">Arrows move, Enter leads to the other side, Space opens a line’s remarks.</p>
            </section>
        </div>
    );
}
