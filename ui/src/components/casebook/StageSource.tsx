/** What a stage is written as: its difference from the stage before, and its files whole. */

import { useMemo, useState } from "preact/hooks";
import type { CasebookDocument, StageFile } from "../../logic/contract";
import { type DiffLine, type StageInTrack, beforeOf, changes, diffLines, hunks, optionChanges, sourcesOf, textOf } from "../../logic/casebook/diff";
import { type Language, type Piece, highlight, languageOf, linesOf } from "../../logic/code/highlight";
import { counted } from "../../logic/quantity";
import { Highlighted, Pieces } from "../parts/Highlighted";
import { Name } from "../parts/Name";
import { usePrinting } from "../parts/usePrinting";

interface Given {
    book: CasebookDocument;
    name: string;
    stage: string;
    /** How this stage and the one before were built in the first ladder. */
    commands: readonly [before: readonly string[] | undefined, after: readonly string[]];
}

export function StageSource({ book, name, stage, commands: [before, after] }: Given) {
    const tracks = useMemo(() => sourcesOf(book, name, stage), [book, name, stage]);
    if (tracks.length === 0) return null;
    const options = before === undefined || after.length === 0 ? undefined : optionChanges(before, after);
    return (
        <div class="stage-source">
            <h3>{tracks[0]?.stage.from === undefined ? "Source" : <>Difference from <Name text={tracks[0].stage.from} longest={40} /></>}</h3>
            {options !== undefined && (options.added.length > 0 || options.removed.length > 0) && (
                <p class="option-changes">
                    Options: {options.removed.map((each) => <del key={each}><code>{each}</code></del>)} {options.added.map((each) => <ins key={each}><code>{each}</code></ins>)}
                </p>
            )}
            {tracks.map((each, at) => (
                <InTrack key={each.track ?? at} {...each} named={tracks.length > 1} open={at === 0} />
            ))}
        </div>
    );
}

/** Languages beside the first open on demand: they change the same. */
function InTrack({ track, stage, changedLater, named, open }: StageInTrack & { named: boolean; open: boolean }) {
    const { files, unchanged = [], gone = [] } = stage;
    const body = (
        <>
            {stage.from !== undefined && files.length === 0 && <p class="dim">The source is the same.</p>}
            {files.map((file) => (
                <File key={file.name} file={file} open={stage.from !== undefined || changedLater.has(file.name)} />
            ))}
            {unchanged.length > 0 && files.length > 0 && <p class="dim">The same: {unchanged.join(", ")}.</p>}
            {gone.length > 0 && <p class="dim">Not used any more: {gone.join(", ")}.</p>}
        </>
    );
    if (!named) return body;
    return (
        <details open={open}>
            <summary>In {track}</summary>
            {body}
        </details>
    );
}

function File({ file, open }: { file: StageFile; open: boolean }) {
    const printing = usePrinting();
    const lines = useMemo(() => diffLines(file), [file]);
    const { added, removed } = changes(lines);
    const language = languageOf(file.name);
    const [whole, setWhole] = useState(false);
    const renamed = file.before !== undefined && file.before !== file.name;
    return (
        <details class="stage-file" open={open || printing} data-file={file.name}>
            <summary>
                {renamed && <><Name text={file.before ?? ""} longest={40} /> → </>}
                <strong><Name text={file.name} longest={40} /></strong>{" "}
                <span class="dim">
                    {file.before === undefined ? counted(lines.length, "line", "lines") : <><span class="added">+{added}</span> <span class="removed">−{removed}</span></>}
                </span>
            </summary>
            {file.before !== undefined && (
                <p class="choice" role="group" aria-label="What is shown">
                    <button type="button" aria-pressed={!whole} onClick={() => setWhole(false)}>Difference</button>
                    <button type="button" aria-pressed={whole} onClick={() => setWhole(true)}>Whole file</button>
                </p>
            )}
            {file.before === undefined || whole ? <Highlighted text={textOf(file)} language={language} label={file.name} /> : <Difference file={file} lines={lines} language={language} label={`${file.before} and ${file.name}`} />}
        </details>
    );
}

const SIGNS = { " ": " ", "+": "+", "-": "−" };
const CLASSES = { " ": "", "+": "added", "-": "removed" };

function Difference({ file, lines, language, label }: { file: StageFile; lines: readonly DiffLine[]; language: Language | undefined; label: string }) {
    const printing = usePrinting();
    const found = useMemo(() => hunks(lines), [lines]);
    // Colours depend on what comes before: both files are coloured as a whole.
    const [old, now] = useMemo(() => [beforeOf(file), textOf(file)].map((text) => highlight(linesOf(text), language)), [file, language]);
    const piecesOf = ({ before, after, text }: DiffLine): readonly Piece[] => (after === undefined ? old?.[(before ?? 0) - 1] : now?.[after - 1]) ?? [{ text }];
    const [shown, setShown] = useState<ReadonlySet<number>>(new Set());
    return (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
        <div class="diff" role="region" aria-label={`Difference of ${label}`} tabIndex={0}>
            {found.map((hunk, at) =>
                hunk.hidden && !shown.has(at) && !printing ? (
                    <button key={at} type="button" class="diff-gap" onClick={() => setShown(new Set([...shown, at]))}>
                        {counted(hunk.lines.length, "unchanged line", "unchanged lines")}
                    </button>
                ) : hunk.hidden && printing ? <p key={at} class="diff-gap">…</p> : (
                    hunk.lines.map((line, row) => (
                        <div key={`${at} ${row}`} class={`diff-line ${CLASSES[line.mark]}`}>
                            <span class="diff-number" aria-hidden="true">{line.before}</span>
                            <span class="diff-number" aria-hidden="true">{line.after}</span>
                            <span class="diff-sign">{SIGNS[line.mark]}</span>
                            <code><Pieces pieces={piecesOf(line)} /></code>
                        </div>
                    ))
                ),
            )}
        </div>
    );
}
