/** The loop as it is written, each line with its share of the time. */

import { useMemo } from "preact/hooks";
import { highlight, languageOf } from "../../logic/code/highlight";
import { sourceRows } from "../../logic/code/source";
import { indentOf, linesOfLoop } from "../../logic/loop-page/source-lines";
import { baseName } from "../../logic/names";
import { percent } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Pieces } from "../parts/Highlighted";
import { Name } from "../parts/Name";
import type { PartProps } from "./LoopPage";
import { Section } from "./Section";

/** Longer loops begin here; the view of source and assembly has all of them. */
const MOST = 80;

export function LoopSource({ report, loop }: PartProps) {
    const source = report.sources.find((each) => each.file === loop.file);
    const rows = useMemo(() => (source?.text === undefined ? [] : sourceRows(source)), [source]);
    const [from, to] = source === undefined ? [1, 0] : linesOfLoop(source, loop);
    const pieces = useMemo(() => {
        const texts = rows.map((row) => row.text ?? "");
        const indent = indentOf(texts.slice(from - 1, to));
        const own = texts.map((text, at) => (at >= from - 1 && at < to ? text.slice(indent) : text));
        return highlight(own, languageOf(source?.file ?? ""));
    }, [rows, source, from, to]);
    const whole = <a href={address("code", loop.id)}>Source and assembly</a>;
    if (source === undefined || rows.length === 0) {
        const why = loop.file === undefined ? "its module has no line information (build it with -g)" : "its file could not be read where the report was written";
        return (
            <Section at="source" loop={loop}>
                <p class="dim">The source of this loop is not in the report: {why}. {whole}</p>
            </Section>
        );
    }
    const total = report.analysis.program.cpu_seconds;
    const most = Math.max(...rows.slice(from - 1, to).map((row) => row.seconds), 0);
    return (
        <Section at="source" loop={loop} how={<><Name text={baseName(source.file)} longest={60} />, with the share of the program's time in each line. {whole}</>}>
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard */}
            <div class="loop-source" role="region" aria-label="Source of this loop" tabIndex={0}>
                {rows.slice(from - 1, Math.min(to, from + MOST - 1)).map(({ line, seconds }) => (
                    <div key={line} class={line === loop.line ? "loop-line head" : "loop-line"} data-line={line}>
                        <span class="line-number">{line}</span>
                        <span class="line-share">
                            {seconds > 0 && total > 0 && (
                                <>
                                    {percent(seconds / total)}
                                    <span class="fill" aria-hidden="true" style={{ width: `${(seconds / most) * 100}%` }} />
                                </>
                            )}
                        </span>
                        <code><Pieces pieces={pieces[line - 1] ?? []} /></code>
                    </div>
                ))}
            </div>
            {to - from + 1 > MOST && <p class="dim">{to - from + 1 - MOST} more lines: {whole}</p>}
        </Section>
    );
}
