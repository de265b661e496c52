import { useState } from "preact/hooks";

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
                <code>{text}</code>
            </pre>
            <button type="button" onClick={copy}>
                {copied ? "Copied" : "Copy"}
            </button>
        </div>
    );
}
