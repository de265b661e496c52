import type { Part } from "../../logic/contract";
import { copiedOptions, notCopied } from "../../logic/copied";
import { Command } from "./Command";
import { PartList } from "./PartList";

/** What a build is made of, and its options to be copied where a shell reads them as they are. */
export function CopiedParts({ parts }: { parts: readonly Part[] }) {
    const others = notCopied(parts);
    return (
        <>
            {others.length > 0 && <PartList parts={others} />}
            {copiedOptions(parts).map(({ files, text }) => (
                <div key={files.join()} class="copied">
                    <p>{files.length === 0 ? "Options behind those of the project:" : `Options for ${files.join(", ")} alone:`}</p>
                    <Command text={text} />
                </div>
            ))}
        </>
    );
}
