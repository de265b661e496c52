import { useMemo } from "preact/hooks";
import { type Language, type Piece, highlight, linesOf } from "../../logic/code/highlight";

/** Coloured pieces of one line. */
export function Pieces({ pieces }: { pieces: readonly Piece[] }) {
    return <>{pieces.map((piece) => (piece.kind === undefined ? piece.text : <span class={`hl-${piece.kind}`}>{piece.text}</span>))}</>;
}

/** A snippet of code in colours; scrolls within itself when it is wide. */
export function Highlighted({ text, language, label }: { text: string; language: Language | undefined; label?: string }) {
    const lines = useMemo(() => highlight(linesOf(text), language), [text, language]);
    return (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
        <pre class="highlighted" tabIndex={0} role={label === undefined ? undefined : "region"} aria-label={label}>
            <code>
                {lines.map((pieces, at) => (
                    <>
                        {at > 0 && "\n"}
                        <Pieces pieces={pieces} />
                    </>
                ))}
            </code>
        </pre>
    );
}
