/** What a build or a change consists of; edited lines can be looked at. */

import type { Part } from "../../logic/contract";
import { baseName, elided, printable } from "../../logic/names";
import { partWords } from "../../logic/trials";
import { UnbrokenWords } from "./UnbrokenWords";

/** Characters of a part: a list of options may be long, and a name in a damaged experiment without end. */
const LONGEST = 1000;

export function PartList({ parts }: { parts: readonly Part[] }) {
    return (
        <ul class="plain">
            {parts.map((part, at) => (
                <li key={at}>
                    {part.kind === "edit" ? (
                        <details>
                            <summary>
                                <code>{printable(partWords(part))}</code>
                            </summary>
                            <pre class="trial-edit" aria-label={`Lines of ${printable(baseName(part.file))}`}>
                                <Lines sign="-" text={part.before} />
                                <Lines sign="+" text={part.after} />
                            </pre>
                        </details>
                    ) : (
                        <code><UnbrokenWords text={elided(partWords(part), LONGEST)} /></code>
                    )}
                </li>
            ))}
        </ul>
    );
}

function Lines({ sign, text }: { sign: "-" | "+"; text: string }) {
    const lines = text.replace(/\n$/, "").split("\n");
    return (
        <>
            {lines.map((line, at) => (
                <span key={at} class={sign === "+" ? "added" : "removed"}>
                    {sign} {printable(line.replaceAll("\t", "    "))}
                    {"\n"}
                </span>
            ))}
        </>
    );
}
