/** The source: lines with their time, loops in the margin, remarks. */

import type { RefObject } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Heights } from "../../logic/code/heights";
import { highlight, languageOf } from "../../logic/code/highlight";
import { Margin } from "../../logic/code/margin";
import { rowOf, type SourceRow, sourceRows } from "../../logic/code/source";
import type { Report, SourceFile } from "../../logic/contract";
import { Pieces } from "../parts/Highlighted";
import { MarkMargin } from "./MarkMargin";
import { type How, Pane, ROW } from "./Pane";
import { RemarkButton, Remarks } from "./Remarks";
import { Share } from "./Share";

/** Which lines' remarks are open: those of lines within loops, all, or none. */
export type OpenRemarks = "loops" | "all" | "none";

export interface SourcePaneProps {
    report: Report;
    source: SourceFile;
    loop: number | undefined;
    line: number | undefined;
    /** Lines of what is pointed at in the other pane. */
    hovered: number | undefined;
    show: number;
    open: OpenRemarks;
    printing: boolean;
    grid: RefObject<HTMLDivElement>;
    onChoose: (line: number, how: How) => void;
    onHover: (line: number | undefined) => void;
}

/** Lines printed around what is selected; as many as the text output shows. */
const CONTEXT = 4;
const LARGEST = 400;

function printedRows(rows: readonly SourceRow[], source: SourceFile, { loop, line }: Pick<SourcePaneProps, "loop" | "line">): [number, number] {
    const mark = source.marks.find((each) => loop !== undefined && each.loops.includes(loop));
    const hottest = rows.reduce<SourceRow | undefined>((most, row) => (row.seconds > (most?.seconds ?? 0) ? row : most), undefined);
    const middle = line ?? hottest?.line ?? 1;
    const [first, last] = mark === undefined ? [middle - 10 * CONTEXT, middle + 10 * CONTEXT] : [mark.from, mark.to];
    const from = rows.findIndex((row) => row.line >= first - CONTEXT);
    const to = rows.findIndex((row) => row.line > last + CONTEXT);
    const begin = Math.max(from, 0);
    return [begin, Math.min(to < 0 ? rows.length : to, begin + LARGEST)];
}

export function SourcePane(props: SourcePaneProps) {
    const { report, source, line, open } = props;
    const rows = useMemo(() => sourceRows(source), [source]);
    const pieces = useMemo(() => highlight(rows.map((row) => row.text ?? ""), languageOf(source.file)), [rows, source]);
    const margin = useMemo(() => new Margin(source.marks), [source]);
    const slotWidth = useMemo(() => 2 + source.marks.reduce((most, mark) => Math.max(most, mark.letters.length), 0), [source]);
    const most = useMemo(() => rows.reduce((all, row) => Math.max(all, row.seconds), 0), [rows]);
    // Lines that the reader opened or closed against the general choice.
    const [turned, setTurned] = useState<ReadonlySet<number>>(new Set());
    const isOpen = (row: SourceRow): boolean => {
        const wanted = open === "all" || (open === "loops" && margin.at(row.line).length > 0 && row.remarks.some((remark) => remark.outcome !== "note"));
        return row.remarks.length > 0 && wanted !== turned.has(row.line);
    };
    // Made anew with the general choice: estimates near the truth keep the scroll bar still.
    const heights = useMemo(() => new Heights(rows.length, (at) => ROW + (rows[at] !== undefined && isOpen(rows[at]) ? rows[at].remarks.length * ROW : 0)), [rows, open]);
    const toggle = (row: SourceRow) => {
        const next = new Set(turned);
        if (!next.delete(row.line)) next.add(row.line);
        setTurned(next);
    };
    const total = report.analysis.program.cpu_seconds;
    const share = (seconds: number): number => (total > 0 ? seconds / total : 0);
    const cursor = line === undefined ? -1 : (rowOf(rows, line) ?? -1);
    const wish = useMemo(() => ({ row: cursor, serial: props.show }), [props.show]);
    const marksWidth = Math.max(margin.slots * slotWidth + 2, 6);

    return (
        <Pane
            id="code-source"
            label={`Source of ${source.file.slice(-200)}`}
            class="source"
            grid={props.grid}
            heights={heights}
            columns={["Line", "Self %", "Loops", "Source"]}
            columnStyle={{ "--marks-width": `${marksWidth}ch` }}
            cursor={cursor}
            start={0}
            wish={wish}
            printed={props.printing ? printedRows(rows, source, props) : undefined}
            onChoose={(at, how) => {
                const row = rows[at];
                if (row === undefined) return;
                if (how === "open") toggle(row);
                else props.onChoose(row.line, how);
            }}
            onHover={(at) => props.onHover(at === undefined ? undefined : rows[at]?.line)}
            row={(at) => {
                const row = rows[at];
                if (row === undefined) return { class: "", content: null };
                const opened = isOpen(row);
                return {
                    class: row.line === props.hovered ? "linked" : "",
                    data: { "data-line": row.line },
                    content: (
                        <>
                            <span class="code-number" role="gridcell">
                                {row.remarks.length > 0 && <RemarkButton remarks={row.remarks} open={opened} onToggle={() => toggle(row)} />}
                                {row.line}
                            </span>
                            <Share value={share(row.seconds)} most={share(most)} name="lines" />
                            <MarkMargin marks={margin.at(row.line)} slotWidth={slotWidth} loop={props.loop} />
                            <span class="code-text" role="gridcell">
                                <Pieces pieces={pieces[at] ?? []} />
                            </span>
                            {opened && (
                                <div class="code-below" role="gridcell">
                                    <Remarks remarks={row.remarks} reasons={report.reasons} />
                                </div>
                            )}
                        </>
                    ),
                };
            }}
        />
    );
}
