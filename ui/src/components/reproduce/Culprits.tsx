/** What changes the answer: sources, their functions, the lines whose code rounds otherwise, and the options that make it so. */

import { useMemo } from "preact/hooks";
import type { Report, ReproductionFacts } from "../../logic/contract";
import { printable } from "../../logic/names";
import { type Culprit, type FunctionCulprit, culprits, haltedWords, optionSets } from "../../logic/reproduction";
import { address } from "../../logic/route";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";

export function Culprits({ report, found }: { report: Report; found: ReproductionFacts }) {
    const parts = useMemo(() => culprits(found), [found]);
    const shown = useMemo(() => new Set(report.sources.filter(({ text }) => text !== undefined).map(({ file }) => file)), [report]);
    const options = optionSets(found);
    const { halted } = found;
    if (parts.length === 0 && options.length === 0 && halted === undefined) return null;
    return (
        <Panel title="What changes the answer">
            {parts.length > 0 && (
                <ul class="plain culprits">
                    {parts.map((part, at) => (
                        <Part key={at} part={part} isShown={part.file !== undefined && shown.has(part.file)} />
                    ))}
                </ul>
            )}
            {options.length > 0 && (
                <>
                    <h3>By these options</h3>
                    <ul class="culprit-options">
                        {options.map((set) => (
                            <li key={set}><code>{set}</code></li>
                        ))}
                    </ul>
                </>
            )}
            {halted !== undefined && <p class="caution">Not all was found: {haltedWords(halted)}</p>}
        </Panel>
    );
}

function Part({ part: { name, file, with: others, functions, note }, isShown }: { part: Culprit; isShown: boolean }) {
    return (
        <li class="culprit" data-culprit={file ?? name}>
            <h3 title={file === undefined ? undefined : printable(file)}>{file !== undefined && isShown ? <a href={address("code", undefined, { file })}>{name}</a> : name}</h3>
            {others !== undefined && <p class="caution">{others}</p>}
            {note !== undefined && <p class="dim">{note}</p>}
            {functions.length > 0 && (
                <ul>
                    {functions.map((each, at) => (
                        <FunctionEntry key={at} each={each} file={isShown ? file : undefined} />
                    ))}
                </ul>
            )}
        </li>
    );
}

/** A function; its name leads to the first line that differs, where the report has the source. */
function FunctionEntry({ each: { name, changes, line, with: others }, file }: { each: FunctionCulprit; file: string | undefined }) {
    const said = <Name text={name} longest={60} symbol />;
    return (
        <li>
            <code>{file !== undefined && line !== undefined ? <a href={address("code", undefined, { file, line })}>{said}</a> : said}</code>
            {others !== undefined && <span class="caution"> {others}</span>}
            <ul>
                {changes.map((change) => (
                    <li key={change}>{change}</li>
                ))}
            </ul>
        </li>
    );
}
