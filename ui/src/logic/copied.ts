/** Options of a build as text to be copied. */

import type { Part } from "./contract";
import { baseName, printable } from "./names";

/** Options for the whole program, or for some of its sources. */
export interface CopiedOptions {
    /** The sources; none for the whole program. */
    files: string[];
    text: string;
}

/** Letters and signs that mean nothing to a shell: the experiment may be somebody else's, and what is copied is pasted there. */
const PLAIN = /^[\w\-=+.,]+$/;

const isPlain = (part: Part): boolean => part.kind === "options" && part.options.every((option) => PLAIN.test(option));

/** What is shown alone: settings, compilers, lines, and options that a shell could read otherwise. */
export function notCopied(parts: readonly Part[]): Part[] {
    return parts.filter((part) => !isPlain(part));
}

/** The options of a build that can be copied, those of the whole program together and first. */
export function copiedOptions(parts: readonly Part[] = []): CopiedOptions[] {
    const sets = new Map<string, CopiedOptions & { options: string[] }>([["", { files: [], text: "", options: [] }]]);
    for (const part of parts) {
        if (part.kind !== "options" || !isPlain(part)) continue;
        const files = part.files ?? [];
        const key = files.join("\0");
        const set = sets.get(key) ?? { files: files.map((file) => printable(baseName(file))), text: "", options: [] };
        set.options.push(...part.options);
        sets.set(key, set);
    }
    return [...sets.values()].filter(({ options }) => options.length > 0).map(({ files, options }) => ({ files, text: options.join(" ") }));
}
