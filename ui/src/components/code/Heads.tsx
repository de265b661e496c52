/** The head above the panes: the choice of file and function, and words about what is selected. */

import { useMemo } from "preact/hooks";
import { fileOf } from "../../logic/code/listing";
import type { Selection } from "../../logic/code/selection";
import { secondsOf } from "../../logic/code/source";
import type { Listing, LoopFacts, Report } from "../../logic/contract";
import { baseName, elided, printable } from "../../logic/names";
import { counted, percent, share, time } from "../../logic/quantity";
import { Absent } from "../parts/Absent";
import { LoopLink } from "../parts/LoopLink";
import { Name } from "../parts/Name";
import type { OpenRemarks } from "./SourcePane";

function Choice({ label, value, options, onChange }: { label: string; value: number; options: readonly string[]; onChange: (at: number) => void }) {
    return (
        <label class="code-choice">
            <span>{label}</span>
            <select value={String(value)} onChange={(event) => onChange(Number(event.currentTarget.value))}>
                {value < 0 && <option value="-1">none</option>}
                {options.map((option, at) => (
                    <option key={at} value={String(at)}>
                        {option}
                    </option>
                ))}
            </select>
        </label>
    );
}

/** Paths by their last part; in full where two have the same. */
function fileNames(files: readonly string[]): string[] {
    const times = new Map<string, number>();
    for (const file of files) times.set(baseName(file), (times.get(baseName(file)) ?? 0) + 1);
    return files.map((file) => elided((times.get(baseName(file)) ?? 0) > 1 ? file : baseName(file), 60));
}

interface SourceHeadProps {
    report: Report;
    now: Selection;
    remarks: OpenRemarks;
    /** Instructions of the selected line in the function that is shown. */
    instructions: number;
    onFile: (at: number) => void;
    onRemarks: (value: string) => void;
}

export function SourceHead({ report, now, remarks, instructions, onFile, onRemarks }: SourceHeadProps) {
    const source = report.sources[now.source];
    const total = report.analysis.program.cpu_seconds;
    const options = useMemo(() => {
        const names = fileNames(report.sources.map((each) => each.file));
        return report.sources.map((each, at) => `${names[at] ?? ""} — ${percent(total > 0 ? secondsOf(each) / total : 0)} %`);
    }, [report, total]);
    const seconds = source?.lines.find(([line]) => line === now.line)?.[1] ?? 0;
    return (
        <header class="code-head">
            <h2 id="code-source-title">Source</h2>
            {report.sources.length > 0 && <Choice label="File" value={now.source} options={options} onChange={onFile} />}
            {source !== undefined && source.remarks.length > 0 && (
                <label class="code-choice">
                    <span>Remarks</span>
                    <select value={remarks} onChange={(event) => onRemarks(event.currentTarget.value === "loops" ? "" : event.currentTarget.value)}>
                        <option value="loops">in loops</option>
                        <option value="all">all</option>
                        <option value="none">closed</option>
                    </select>
                </label>
            )}
            {source === undefined && (
                <Absent command={report.sources.length === 0 ? "loopwright survey -- PROGRAM ARGUMENTS" : undefined}>
                    {report.sources.length === 0
                        ? "No source is known: build the program with -g and survey again."
                        : "No source position is known for this: choose a file, or build its module with -g."}
                </Absent>
            )}
            {source?.missing !== undefined && <p class="code-warning">Only numbers are known: {printable(source.missing)}</p>}
            {source?.outdated !== undefined && <p class="code-warning">{printable(source.outdated)}</p>}
            <p class="code-selected" aria-live="polite">
                {source !== undefined && now.line !== undefined && (
                    <>
                        Line {now.line}: {seconds > 0 ? `${time(seconds)}, ${share(total > 0 ? seconds / total : 0)} of the CPU time` : "not sampled"}
                        {report.listings.length > 0 && `; ${counted(instructions, "instruction", "instructions")} here`}
                    </>
                )}
            </p>
        </header>
    );
}

/** The place of the selected instruction, or else of the chosen loop. */
function Selected({ listing, now, loops }: { listing: Listing; now: Selection; loops: ReadonlyMap<number, LoopFacts> }) {
    const row = now.instruction === undefined ? undefined : listing.instructions[now.instruction];
    const loop = loops.get(row === undefined ? (now.loop ?? -1) : (row[5] ?? -1));
    const file = row === undefined ? undefined : fileOf(listing, row);
    return (
        <>
            {row !== undefined && (
                <>
                    {row[0]}
                    {file !== undefined && row[3] !== null && (
                        <>
                            {" "}
                            of <Name text={`${baseName(file)}:${row[3]}`} longest={40} />
                        </>
                    )}
                    {loop === undefined ? ", in no loop" : ", in "}
                </>
            )}
            {loop !== undefined && <LoopLink loop={loop} longest={40} />}
        </>
    );
}

interface AssemblyHeadProps {
    report: Report;
    now: Selection;
    loops: ReadonlyMap<number, LoopFacts>;
    onListing: (at: number) => void;
}

export function AssemblyHead({ report, now, loops, onListing }: AssemblyHeadProps) {
    const listing = report.listings[now.listing];
    const total = report.analysis.program.cpu_seconds;
    const options = useMemo(() => {
        const seconds = (each: Listing): number => each.instructions.reduce((sum, row) => sum + row[4], 0);
        return report.listings.map((each) => `${elided(each.function, 60)} — ${percent(total > 0 ? seconds(each) / total : 0)} %`);
    }, [report, total]);
    return (
        <header class="code-head">
            <h2 id="code-assembly-title">Assembly</h2>
            {report.listings.length > 0 && <Choice label="Function" value={now.listing} options={options} onChange={onListing} />}
            {listing === undefined && (
                <Absent command={report.listings.length === 0 ? "loopwright survey -- PROGRAM ARGUMENTS" : undefined}>
                    {report.listings.length === 0
                        ? "No instructions were kept with the survey."
                        : "The instructions of this are not in the report: choose a function, or survey again."}
                </Absent>
            )}
            <p class="code-selected" aria-live="polite">
                {listing !== undefined && <Selected listing={listing} now={now} loops={loops} />}
            </p>
        </header>
    );
}
