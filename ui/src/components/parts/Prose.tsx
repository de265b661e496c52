import { printable } from "../../logic/names";

/** A sentence with code in backticks, as the tool writes them. */
export function Prose({ text }: { text: string }) {
    const parts = printable(text).split("`");
    // An odd backtick is no markup.
    if (parts.length % 2 === 0) return <>{printable(text)}</>;
    return <>{parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
