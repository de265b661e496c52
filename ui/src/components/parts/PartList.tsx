/** What a build or a change consists of; edited lines can be looked at. */

import type { Part } from "../../logic/contract";
import { baseName, printable } from "../../logic/names";
import { partWords } from "../../logic/trials";
import { UnbrokenWords } from "./UnbrokenWords";

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
                        <code><UnbrokenWords text={printable(partWords(part))} /></code>
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
