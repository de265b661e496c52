import { useState } from "preact/hooks";
import { printable } from "../../logic/names";

/** Line breaks as they are; what cannot be seen, or turns the line around, as escapes. */
function lines(text: string): string {
    return text.split("\n").map(printable).join("\n");
}

/** A command as it is to be typed, line breaks included, with a button that copies it. */
export function Command({ text }: { text: string }) {
    const [copied, setCopied] = useState(false);
    const copy = () => {
        navigator.clipboard.writeText(text).then(
            () => setCopied(true),
            // Some browsers give pages opened from a file no clipboard: the text can still be selected.
            () => setCopied(false),
        );
    };
    return (
        <div class="command">
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard */}
            <pre tabIndex={0}>
                <code>{lines(text)}</code>
            </pre>
            <button type="button" onClick={copy}>
                {copied ? "Copied" : "Copy"}
            </button>
        </div>
    );
}
