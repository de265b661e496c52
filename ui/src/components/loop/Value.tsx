import type { ComponentChildren } from "preact";

/** A number of the document, marked with its key. */
export function Value({ at, children }: { at: string; children: ComponentChildren }) {
    return (
        <span data-key={at}>
            {children}
        </span>
    );
}

/** A number that may be absent: nothing is shown then, not even its mark. */
export function Maybe<T>({ at, of, as }: { at: string; of: T | undefined; as: (value: T) => ComponentChildren }) {
    return of === undefined ? null : <Value at={at}>{as(of)}</Value>;
}

/** How numbers were obtained, in brackets as the text output has it. */
export function How({ words }: { words: string }) {
    return <span class="how dim">({words})</span>;
}
